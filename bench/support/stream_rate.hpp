#pragma once
/// rate_of: the steady rate of a stream.

#include <plumbline/exec/stream.hpp>

#include <chrono>
#include <cstdint>

#include "support/measure.hpp"

namespace bench {

/// The steady rate in minibatches per second, measured over about `seconds`. A warm-up is not counted, since the stream
/// first delivers what is ready while its threads resume work.
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
