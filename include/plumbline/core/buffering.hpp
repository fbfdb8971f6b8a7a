#pragma once
/// buffering: the capacity of the buffer between two parts of a pipeline, in messages and in elements per message.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace plumbline {

struct buffering {
  std::size_t messages = 0;  ///< 0: as many as keep all threads busy
  std::size_t elements = 0;  ///< at most so many in one message; 0: chosen by element type

  /// At most n elements in total, in a few messages, so that neither side waits for the other at every element.
  static constexpr buffering of_elements(std::uint64_t n) {
    const auto each = std::clamp<std::uint64_t>(n / 4, 1, 4096);
    return {static_cast<std::size_t>(std::clamp<std::uint64_t>(n / each, 1, 1 << 16)), static_cast<std::size_t>(each)};
  }
};

}  // namespace plumbline
