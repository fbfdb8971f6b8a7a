#pragma once
/// taking: what it costs the consumer to be handed its elements, if the run is traced: processor time in next() and the
/// like, waiting left out. Measured in one of eight messages, and one of more where that would cost more than half a
/// percent: what fetching one costs, and the time from one fetch to the next, which is the consumer's own and that of
/// its calls. How much of it is theirs some timed calls tell.

#include <plumbline/exec/clocks.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

namespace plumbline::detail {

class taking {
 public:
  /// Does the next call go the long way: to begin the first epoch, or to be timed?
  std::atomic<bool> odd{true};

  // --- the stream, one call at a time

  /// A call that went the long way, in ticks. `fetched`: it also went for more elements.
  void called(std::int64_t entered, std::int64_t left, bool fetched) {
    if (timed_ == wanted) return;
    const auto tick = clock_costs::known().tick;
    // Beside a call of ten nanoseconds the clock's own cost is seen where nothing else is: between two calls. Who loses
    // the processor, or does something long, spoils the sample.
    if (!fetched && last_ != 0 && std::max(left - entered, entered - last_) < 5000 * tick) {
      inside_ += left - entered;
      outside_ += std::max<std::int64_t>(entered - last_ - tick, 0);
    }
    if (++timed_ == wanted) odd.store(false, std::memory_order_relaxed);
    last_ = ticks_now();
  }

  // --- the run, around each fetch

  void entered() {
    stop_timing();
    if (++turn_ >= turns_) begin_turns();
    if (turn_ != fetching) return;
    entered_ = cpu_now();
    if (left_ == 0 || thread_ != std::this_thread::get_id()) return;
    between_ += spent(left_, entered_);
    shared_ += held_;
  }
  void left(std::size_t elements) {
    held_ = elements;
    elements_ += elements;
    ++messages_;
    if (turn_ == fetching && entered_ != 0) {
      fetched_ += spent(entered_, cpu_now());
      ++fetches_;
    } else if (turn_ == fetching - 1) {
      thread_ = std::this_thread::get_id();
      left_ = cpu_now();
    } else if (turn_ == 0) {
      timed_ = 0;
      last_ = 0;
      odd.store(true, std::memory_order_relaxed);
    }
  }
  /// What has begun does not count.
  void forget() {
    left_ = entered_ = 0;
    stop_timing();
  }
  /// So far, in all.
  double seconds() const {
    const auto of = [](std::int64_t part, auto all) {
      return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
    };
    return 1e-9 * (of(inside_, inside_ + outside_) * of(between_, shared_) * static_cast<double>(elements_) +
                   of(fetched_, fetches_) * static_cast<double>(messages_));
  }

 private:
  static constexpr int wanted = 16, fetching = 4;  // calls to be timed; which turn is timed around the fetch
  static constexpr int least_turns = 8, most_turns = 256;
  void begin_turns() {
    turn_ = 0;
    const auto& costs = clock_costs::known();
    const auto now = ticks_now(), took = now - std::exchange(begun_, now);
    const auto enough = 200 * (4 * costs.cpu_clock + (2 * wanted + 2) * costs.tick);
    turns_ = std::clamp(took < enough ? 2 * turns_ : took > 4 * enough ? turns_ / 2 : turns_, least_turns, most_turns);
  }
  void stop_timing() {
    if (timed_ != wanted) odd.store(false, std::memory_order_relaxed);
    timed_ = wanted;
  }
  static std::int64_t spent(std::int64_t from, std::int64_t to) {
    const auto& known = clock_costs::known();
    return std::max(to - from - static_cast<std::int64_t>(static_cast<double>(known.cpu_clock) / known.ticks_a_ns),
                    std::int64_t{0});
  }
  int timed_ = wanted, turn_ = least_turns, turns_ = least_turns;
  std::int64_t begun_ = 0;                            // ticks
  std::int64_t last_ = 0, inside_ = 0, outside_ = 0;  // ticks
  std::int64_t entered_ = 0, left_ = 0, between_ = 0, fetched_ = 0;
  std::thread::id thread_{};
  std::size_t held_ = 0;
  std::uint64_t elements_ = 0, messages_ = 0, shared_ = 0, fetches_ = 0;
};

}  // namespace plumbline::detail
