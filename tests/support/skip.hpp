#pragma once
// skip(why): for a test case whose requirement is missing. Such a case has the tag [data] (real inputs, published
// figures) or [host] (a library, a file system, another user). CTest runs these cases of a folder as a separate test,
// which is then listed as skipped.

#include <iostream>
#include <string>

namespace plumbline_test {

inline constexpr int skip_status = 77;  // exit status if something was skipped and nothing failed
inline int skips = 0;

inline void skip(const std::string& why) {
  ++skips;
  std::cout << "SKIPPED: " << why << "\n";
}

}  // namespace plumbline_test
