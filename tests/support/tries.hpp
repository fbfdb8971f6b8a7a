#pragma once
// holds_in_time: for bounds of time, which a test can miss because somebody else has the machine at that moment.
// Nothing else is tried again: what a test decides or counts must hold at once.

#include <iostream>
#include <sstream>
#include <string>

namespace plumbline_test {

// Does f hold once in so many tries? It is given a stream to say what it measured; each try that fails is reported.
template <class F> bool holds_in_time(const std::string& what, F&& f, int tries = 5) {
  for (int i = 1; i <= tries; ++i) {
    std::ostringstream measured;
    if (f(measured)) return true;
    std::cout << "TRIED AGAIN: " << what << ": try " << i << " of " << tries << ": " << measured.str() << std::endl;
  }
  return false;
}

}  // namespace plumbline_test
