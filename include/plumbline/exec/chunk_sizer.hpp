#pragma once
/// chunk_sizer: the number of elements in a message.

#include <plumbline/exec/clocks.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// Chooses the number of elements in a message from the measured cost of an element.
class chunk_sizer {
 public:
  /// `fixed` != 0: the user's chunk size.
  explicit chunk_sizer(std::size_t fixed) : fixed_(fixed) {}

  /// When work on a message began. `cpu`: the thread's CPU time, on I/O threads.
  struct moment {
    std::int64_t wall, cpu;  ///< ns
    bool waits;
  };
  /// `waits`: the work is done on an I/O thread. Then the CPU clock is read, too: about 0.3 us.
  static moment now(bool waits) { return {wall_now(), waits ? cpu_now() : 0, waits}; }
  /// Elements were made since then, by this thread. `together`: it waited for all of them at once, so fewer would have
  /// waited as long, and only the work counts.
  void measured(moment since, std::uint64_t elements, bool together = false) {
    if (elements == 0) return;
    const auto end = now(since.waits);
    double spent = static_cast<double>(end.wall - since.wall);
    if (since.waits)
      spent = std::max(together ? 0 : spent / waits_longer, static_cast<double>(end.cpu - since.cpu) / works_longer);
    const double now = spent / static_cast<double>(elements);
    const double before = cost_.load(std::memory_order_relaxed);
    cost_.store(before == 0 ? now : before + 0.25 * (now - before), std::memory_order_relaxed);
  }
  /// Limits messages to so many elements from now on; 0: no limit of its own. From any thread.
  void at_most(std::size_t n) { at_most_.store(n, std::memory_order_relaxed); }
  std::size_t at_most() const { return fixed_ != 0 ? fixed_ : at_most_.load(std::memory_order_relaxed); }
  /// Elements for the next message: about 100 us of work (a message itself costs 1 to 2 us), or as much as I/O threads
  /// do in 2 ms, or in a round trip for all of them, if that is at most 400 us of work. Grows at most fourfold per
  /// call.
  std::size_t elements(std::size_t most) {
    if (fixed_ != 0) return fixed_;
    if (const auto fewer = at_most_.load(std::memory_order_relaxed); fewer != 0) most = std::min(most, fewer);
    const double cost = cost_.load(std::memory_order_relaxed);
    std::size_t want = last_;
    if (cost > 0) {
      const double fit = 100'000.0 / cost;
      want = fit >= static_cast<double>(most) ? most : fit < 1 ? 1 : static_cast<std::size_t>(fit);
    }
    last_ = std::min({want, last_ * 4, std::max<std::size_t>(most, 1)});
    return last_;
  }

 private:
  /// An I/O thread that is handed a message has to be woken, and so has who waits for what it makes: that costs several
  /// times as much as a message among compute threads, which are awake.
  static constexpr double waits_longer = 20, works_longer = 4;

  std::size_t fixed_;
  std::atomic<std::size_t> at_most_{0};
  std::atomic<double> cost_{0};  // ns per element
  std::size_t last_ = 1;         // used by the producer only
};

}  // namespace plumbline::detail
