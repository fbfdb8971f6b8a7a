#pragma once
// once_of: for what holds unless somebody else has the machine at that moment.

#include <utility>

namespace plumbline_test {

// Does f hold once in so many tries? For times that have a bound from above, and for what is decided by comparing
// times.
template <class F> bool once_of(int tries, F&& f) {
  for (int i = 0; i != tries; ++i)
    if (f()) return true;
  return false;
}

}  // namespace plumbline_test
