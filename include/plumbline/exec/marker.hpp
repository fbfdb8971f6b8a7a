#pragma once
/// marker: decides when a serial part records its state: never before a save is requested, and then so often that it
/// costs about one percent of the part's time.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/state.hpp>
#include <plumbline/exec/clocks.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace plumbline::detail {

class marker {
 public:
  explicit marker(const std::atomic<bool>* wanted) : wanted_(wanted) {}
  bool due() const { return wanted_->load(std::memory_order_relaxed) && wall_now() >= next_; }
  /// Returns the state of the part, which must not be running; null if it cannot be saved now.
  std::shared_ptr<const saved> take(restartable& part);
  /// True if the state could not be saved and is to be taken again after the next element, when a group may be
  /// complete.
  bool trying() const { return tries_ != 0; }
  void give_up() { tries_ = 0; }

 private:
  static constexpr std::uint32_t most_tries = 1 << 20;
  const std::atomic<bool>* wanted_;
  std::int64_t next_ = 0, spent_ = 0;  // ns
  std::int64_t before_ = 0;            // ns of the last one; 0: none yet
  std::uint32_t tries_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/marker_inl.hpp>
#endif
