#pragma once
/// stream_state: how far a stream has come. What `stream::save()` gives and `stream::load()` takes, in this process.

#include <plumbline/core/state.hpp>

#include <cstdint>

namespace plumbline {

namespace detail {
struct consumer_base;
/// What a state belongs to.
struct run_identity {
  std::uint64_t pipeline = 0;  ///< its type, sizes and parameters
  std::uint64_t seed = 0;
  std::uint32_t layout = 0;  ///< of the parts that marks are made of; another one begins at the epoch's beginning
  bool in_order = true;
};

}  // namespace detail

/// A value: copy it, keep it, load it into any number of fresh streams of the same pipeline and seed, whatever their
/// threads. It shares elements that were held when it was saved (in a shuffle's buffer, say).
class stream_state {
 public:
  stream_state() = default;
  std::uint64_t epoch() const { return epoch_; }
  /// Elements taken in this epoch.
  std::uint64_t taken() const { return taken_; }

 private:
  friend struct detail::consumer_base;
  detail::run_identity of_{};
  std::uint64_t epoch_ = 0, taken_ = 0;
  bool begun_ = false, over_ = false;
  detail::progress come_{};
};

}  // namespace plumbline
