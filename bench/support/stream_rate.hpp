#pragma once
/// rate_of: how fast a stream goes on.

#include <plumbline/exec/stream.hpp>

#include <chrono>
#include <cstdint>

#include "support/measure.hpp"

namespace bench {

/// Minibatches per second over about so many seconds, as it goes on: what lies ready when it is asked, and how its
/// threads come back to work, is over before.
template <class T> double rate_of(plumbline::stream<T>& s, double seconds) {
  std::uint64_t n = 0;
  bool warm = false;
  auto begin = clock::now();
  for (;;) {
    if (s.next())
      ++n;
    else
      s.restart();
    const double passed = std::chrono::duration<double>(clock::now() - begin).count();
    if (!warm && passed > seconds / 6 && n > 1) {
      warm = true;
      n = 0;
      begin = clock::now();
    } else if (warm && passed > seconds && n > 1) {
      return static_cast<double>(n) / passed;
    }
  }
}

}  // namespace bench
