#pragma once
// holds_in_time: for bounds on time, which a test can miss while other processes use the machine. Nothing else is
// retried: everything that is not about time must hold at the first try.

#include <iostream>
#include <sstream>
#include <string>

namespace plumbline_test {

// True if f holds in one of `tries` tries. f writes what it measured to a stream; each try that fails is reported.
template <class F> bool holds_in_time(const std::string& what, F&& f, int tries = 5) {
  for (int i = 1; i <= tries; ++i) {
    std::ostringstream measured;
    if (f(measured)) return true;
    std::cout << "TRIED AGAIN: " << what << ": try " << i << " of " << tries << ": " << measured.str() << std::endl;
  }
  return false;
}

}  // namespace plumbline_test
