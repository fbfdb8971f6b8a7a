#pragma once
// skip(why): for a test case that needs what is not here. Such a case has the tag [data] (real inputs, published
// figures) or [host] (a library, a file system, another user): CTest has those cases of a folder as a test of its own,
// which is then listed as skipped, and all others in another.

#include <iostream>
#include <string>

namespace plumbline_test {

inline constexpr int skip_status = 77;  // of a program in which something was skipped and nothing failed
inline int skips = 0;

inline void skip(const std::string& why) {
  ++skips;
  std::cout << "SKIPPED: " << why << "\n";
}

}  // namespace plumbline_test
