#pragma once
/// marker: when a serial part takes its state. Never, until somebody wants to save; then as often as costs about a
/// hundredth of its time.

#include <plumbline/core/state.hpp>
#include <plumbline/exec/clocks.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace plumbline::detail {

class marker {
 public:
  explicit marker(const std::atomic<bool>* wanted) : wanted_(wanted) {}
  bool due() const { return wanted_->load(std::memory_order_relaxed) && wall_now() >= next_; }
  /// The state of the part, which is at rest; null if it cannot be had now.
  template <class Part> std::shared_ptr<const saved> take(Part& part) {
    const auto before = cpu_now();  // that another thread had the processor says nothing about the cost
    if (tries_ == 0) spent_ = 0;
    saving io;
    try {
      io(part);
    } catch (...) {  // no memory for copies, perhaps
      io.not_now();
    }
    tries_ = io.ok() || io.hopeless() || tries_ == most_tries ? 0 : tries_ + 1;
    auto made = io.ok() ? io.take() : nullptr;
    spent_ += cpu_now() - before;
    if (tries_ == 0) next_ = io.hopeless() ? std::numeric_limits<std::int64_t>::max() : wall_now() + 100 * spent_;
    return made;
  }
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
