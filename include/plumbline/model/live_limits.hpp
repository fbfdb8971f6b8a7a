#pragma once
/// live_limits: the values of a run that may change while it runs, as plain data: messages at a time in each part,
/// messages in each buffer, elements in a message.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// A stage or a serial part.
struct part_limit {
  std::vector<std::uint32_t> operators{};  ///< their numbers in the run
  bool serial = false;
  bool stated = false;      ///< the user limited it: it stays as it is
  bool waits = false;       ///< it runs on I/O threads
  bool movable = false;     ///< this may change
  std::size_t at_once = 1;  ///< messages processed at a time, at most
  friend bool operator==(const part_limit&, const part_limit&) = default;
};

/// A segment's channel.
struct buffer_limit {
  std::size_t first_part = 0, parts = 0;  ///< of the segment, in live_limits::parts
  bool stated = false;                    ///< the user set its size: it stays as it is
  bool output = false;                    ///< what is in it is ready for the consumer
  bool has_stages = false;
  std::size_t messages = 1, most = 1;  ///< in flight, at most; and the most that this may be set to
  std::size_t elements = 0;            ///< the most in a message; 0: by the executor's own choice
  friend bool operator==(const buffer_limit&, const buffer_limit&) = default;
};

/// "14", "14 of up to 5 elements".
inline std::string messages_text(const buffer_limit& b) {
  if (b.elements == 0) return std::to_string(b.messages);
  return std::to_string(b.messages) + " of up to " + std::to_string(b.elements) +
         (b.elements == 1 ? " element" : " elements");
}

struct live_limits {
  std::vector<part_limit> parts{};
  std::vector<buffer_limit> buffers{};
  std::size_t threads = 1, io_threads = 0;  ///< threads stay as they are; I/O threads are added where they are needed
  friend bool operator==(const live_limits&, const live_limits&) = default;
  /// The number of the operator whose elements are in a buffer; 0: they are indices, which no part made.
  std::uint32_t last_operator(const buffer_limit& b) const {
    return b.parts == 0 || parts[b.first_part + b.parts - 1].operators.empty()
               ? 0
               : parts[b.first_part + b.parts - 1].operators.back();
  }
};

}  // namespace plumbline
