#pragma once
/// marker: when a serial part takes its state. Never, until somebody wants to save; then as often as costs about a
/// hundredth of its time.

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
  /// The state of the part, which is at rest; null if it cannot be had now.
  std::shared_ptr<const saved> take(restartable& part);
  /// It could not be had, and is to be asked for again after the next element: a group may be complete then.
  bool trying() const { return tries_ != 0; }
  void give_up() { tries_ = 0; }

 private:
  static constexpr std::uint32_t most_tries = 1 << 20;
  const std::atomic<bool>* wanted_;
  std::int64_t next_ = 0, spent_ = 0;  // ns
  std::uint32_t tries_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/marker_inl.hpp>
#endif
