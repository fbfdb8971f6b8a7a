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
  /// The I/O threads of a run, if nothing states them.
  static constexpr std::size_t default_io_threads(std::size_t threads) { return std::max<std::size_t>(4, 2 * threads); }
  /// The messages of a segment, if nothing states them: 4 without stages, else two for each thread and two more.
  /// `blocks`: a stage of it runs on I/O threads, which count as well, as the first message in order may wait longer.
  template <class Number>
  static constexpr Number default_messages(bool has_stages, bool blocks, Number threads, Number io_threads) {
    return !has_stages ? Number(4) : 2 * threads + 2 + (blocks ? 2 * io_threads : Number(0));
  }
};

}  // namespace plumbline
