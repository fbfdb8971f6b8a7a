#pragma once
/// buffering: what may wait between a part of the pipeline and the next: so many messages of so many elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace plumbline {

struct buffering {
  std::size_t messages = 0;  ///< 0: as many as keep all threads busy
  std::size_t elements = 0;  ///< in one message at most; 0: by type

  /// At most n elements in all, in a few messages, so that neither side waits for the other at every element.
  static constexpr buffering of_elements(std::uint64_t n) {
    const auto each = std::clamp<std::uint64_t>(n / 4, 1, 4096);
    return {static_cast<std::size_t>(std::clamp<std::uint64_t>(n / each, 1, 1 << 16)), static_cast<std::size_t>(each)};
  }
};

}  // namespace plumbline
