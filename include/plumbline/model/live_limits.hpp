#pragma once
/// live_limits: the values of a run that may change while it runs, as plain data: messages at a time in each part,
/// messages in each buffer, elements in a message.

#include <cstddef>
#include <cstdint>
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

struct live_limits {
  std::vector<part_limit> parts{};
  std::vector<buffer_limit> buffers{};
  std::size_t threads = 1, io_threads = 0;  ///< threads stay as they are; I/O threads are added where they are needed
  friend bool operator==(const live_limits&, const live_limits&) = default;
};

}  // namespace plumbline
