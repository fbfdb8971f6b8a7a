#pragma once
/// stream_phase: where a stream is in its epochs.

namespace plumbline {

enum class stream_phase : unsigned char {
  not_begun,  ///< no element has been requested yet
  running,    ///< within an epoch
  ended,      ///< at the end of an epoch
  failed,     ///< an epoch has ended with a failure
  stopped     ///< for good, by stop()
};

}  // namespace plumbline
