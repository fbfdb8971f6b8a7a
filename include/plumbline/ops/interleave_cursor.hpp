#pragma once
/// The cycle of open streams, from which interleave and flat_map take their elements in turn.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/peeking.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// `Slot` holds an open stream; `Op` has the function and the lengths.
template <class Op, class Slot, class Up> class interleave_cursor {
 public:
  using element = typename Op::inner::element;
  static constexpr cursor_traits traits{};
  interleave_cursor(const Op& op, std::uint32_t id, std::vector<Slot> slots, Up up)
      : op_(&op),
        id_(id),
        slots_(std::move(slots)),
        at_(static_cast<std::size_t>(op.how.cycle_length)),
        up_(std::move(up)) {
    for (std::size_t i = slots_.size(); i != 0; --i) spare_.push_back(i - 1);
  }

  void begin(std::uint64_t epoch) {
    close();
    current_ = used_ = 0;
    up_.begin(epoch);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    while (budget != 0) {
      auto& place = at_[current_];
      if (place.over) {
        give_up(place);
        advance();
      } else if (place.slot != nowhere) {
        const auto block = op_->how.block_length;
        const auto want = std::min<std::uint64_t>(budget, block - used_);
        const auto p = slots_[place.slot].pump(
            [&](element&& x, const lineage& at) {
              ++used_;
              sink(std::move(x), at);
            },
            static_cast<std::size_t>(want));
        budget -= std::min<std::size_t>(budget, static_cast<std::size_t>(want));
        if (p == pump_result::pending) return p;
        if (used_ < block && p != pump_result::ended) continue;
        if (used_ < block)
          give_up(place);
        else
          place.over = p == pump_result::ended;  // takes effect at its next turn
        advance();
        const auto before = ahead_.size();
        if constexpr (Up::traits.prompt)
          if (may_open_ahead()) open_next();
        if (ahead_.size() != before) return pump_result::more;  // f may be slow: the caller checks for a stop
      } else if (!ahead_.empty()) {
        const auto next = std::move(ahead_.front());
        ahead_.pop_front();
        if (next.error) std::rethrow_exception(next.error);
        place.slot = next.slot;
      } else if (!up_.over()) {
        if (const auto e = up_.error()) std::rethrow_exception(e);
        const auto p = open_next();
        if (!ahead_.empty()) continue;
        if (p == pump_result::pending) return p;
        if (!up_.over() && !up_.fails())
          --budget;  // work without a result counts as well: the caller checks for a stop
      } else {
        if (spare_.size() == slots_.size()) return pump_result::ended;
        advance();
      }
    }
    return pump_result::more;
  }
  void leave() {
    close();
    up_.leave();
  }
  template <class Io> void state(Io& io) {
    if constexpr (Io::loads) close();
    std::vector<std::size_t> ahead;
    for (const auto& [slot, error] : ahead_) {
      if (error) io.not_now();
      ahead.push_back(slot);
    }
    io(current_, used_, at_, spare_, ahead, up_);
    if constexpr (Io::loads)
      for (const auto slot : ahead) ahead_.push_back({.slot = slot});
    for (const auto& place : at_)
      if (place.slot != nowhere) io(slots_[place.slot]);
    for (const auto slot : ahead) io(slots_[slot]);
  }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};
  /// A position in the cycle.
  struct turn {
    std::size_t slot = nowhere;
    bool over = false;  ///< the stream ended together with its block
  };
  /// A stream that is open and not yet in the cycle, or the error from opening it, which is thrown at its turn.
  struct opened {
    std::size_t slot = nowhere;
    std::exception_ptr error{};
  };

  /// True if the cycle is full, and another stream may be opened behind it.
  bool may_open_ahead() const {
    const auto in_cycle = slots_.size() - spare_.size() - ahead_.size();
    return in_cycle == at_.size() && !spare_.empty() && !up_.over() && !up_.fails() &&
           (ahead_.empty() || !ahead_.back().error);
  }
  /// Opens the stream whose turn comes next, if the upstream has an element ready.
  pump_result open_next() {
    auto p = pump_result::more;
    if (!up_.has()) {
      p = up_.look(1);
      if (!up_.has()) return p;
    }
    auto x = std::move(up_.front());
    up_.pop();
    try {
      slots_[spare_.back()].open(guarded(Op::name, id_, x.at, [&] { return std::invoke(op_->f, std::move(x.value)); }),
                                 x.at);
      ahead_.push_back({.slot = spare_.back()});
      spare_.pop_back();
    } catch (...) {
      ahead_.push_back({.error = std::current_exception()});
    }
    return p;
  }
  void advance() {
    used_ = 0;
    current_ = (current_ + 1) % at_.size();
  }
  /// Frees the position for the next stream.
  void give_up(turn& place) { spare_.push_back(std::exchange(place, {}).slot); }
  void close() {
    for (auto& place : at_) ahead_.push_back({.slot = std::exchange(place, {}).slot});
    for (const auto& [slot, error] : std::exchange(ahead_, {}))
      if (slot != nowhere) slots_[slot].leave(), spare_.push_back(slot);
  }
  const Op* op_;
  std::uint32_t id_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> spare_{};  // slots without a stream
  std::vector<turn> at_;              // the cycle
  std::deque<opened> ahead_{};
  peeking<Up> up_;
  std::size_t current_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace plumbline::detail
