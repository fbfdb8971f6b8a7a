#pragma once
/// stream_state: the position of a stream, which `stream::save()` returns and `stream::load()` takes, in the same
/// process.

#include <plumbline/core/cardinality.hpp>
#include <plumbline/core/state.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {
struct consumer_base;
/// Identifies a pipeline.
struct pipeline_identity {
  std::uint64_t all = 0;        ///< a hash of its type, sizes and parameters, with the counts of its elements
  std::uint64_t operators = 0;  ///< the same without the counts
  /// Of each source: its number, and how many elements it has.
  std::vector<std::pair<std::uint32_t, cardinality>> sources{};
};
/// Identifies what a state belongs to.
struct run_identity {
  pipeline_identity pipeline{};
  std::uint64_t seed = 0;
  std::uint32_t layout = 0;  ///< of the parts in a mark; a state with another one is loaded from the epoch's beginning
  bool in_order = true;
};

}  // namespace detail

/// A value type: it can be copied, kept, and loaded into any number of fresh streams of the same pipeline and seed,
/// with any number of threads. Its copies share the elements that were held when it was saved (for example in a
/// shuffle's buffer).
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
