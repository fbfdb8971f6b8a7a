#pragma once
/// chunk_sizer: the number of elements in a message.

#include <plumbline/exec/clocks.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace plumbline::detail {

/// What an element costs in one stage of a segment, or in its producer. The elements are those that messages begin
/// with: a filter may leave the stage few of them, and flat_map makes more.
class element_cost {
 public:
  /// When work on a message began. `cpu`: the thread's CPU time, on I/O threads.
  struct moment {
    std::int64_t wall, cpu;  ///< ns
    bool waits;
  };
  /// `waits`: the work is done on an I/O thread. Then the CPU clock is read, too: about 0.3 us.
  static moment now(bool waits) { return {wall_now(), waits ? cpu_now() : 0, waits}; }
  /// A message that began with so many elements was processed since then, by this thread, or that part of it.
  /// `together`: it waited for all of them at once, so fewer would have waited as long, and only the work counts.
  void measured(moment since, double elements, bool together = false) {
    if (elements <= 0) return;
    const auto end = now(since.waits);
    double spent = static_cast<double>(end.wall - since.wall);
    if (since.waits)
      spent = std::max(together ? 0 : spent / waits_longer, static_cast<double>(end.cpu - since.cpu) / works_longer);
    const double now = spent / elements, before = ns_.load(std::memory_order_relaxed);
    ns_.store(before <= 0 ? now : before + 0.25 * (now - before), std::memory_order_relaxed);
  }
  /// A message without elements came, as a filter had dropped all. If no other comes, the cost counts as 0 after 64.
  void nothing_left(moment since, double elements) {
    double before = ns_.load(std::memory_order_relaxed);
    if (before >= 0) return measured(since, elements);
    ns_.compare_exchange_strong(before, before + 1, std::memory_order_relaxed);  // unless another thread knows it now
  }
  /// Moving average; negative: not known.
  double ns() const { return ns_.load(std::memory_order_relaxed); }

 private:
  /// An I/O thread that is handed a message has to be woken, and so has who waits for what it makes: that costs several
  /// times as much as a message among compute threads, which are awake.
  static constexpr double waits_longer = 20, works_longer = 4, unknown = -64;

  std::atomic<double> ns_{unknown};
};

/// Chooses the number of elements in a message from what one costs: the mean of the segment's stages and its producer.
/// Each is averaged by itself, as many messages may pass a fast stage before the next one has seen any of them.
class chunk_sizer {
 public:
  /// `fixed` != 0: the user's chunk size.
  explicit chunk_sizer(std::size_t fixed) : fixed_(fixed) {}

  /// The cost of one more stage, which reports to it. Only before the run begins.
  element_cost* add_stage() { return &stages_.emplace_back(); }
  /// Limits messages to so many elements from now on; 0: no limit of its own. From any thread.
  void at_most(std::size_t n) { at_most_.store(n, std::memory_order_relaxed); }
  std::size_t at_most() const { return fixed_ != 0 ? fixed_ : at_most_.load(std::memory_order_relaxed); }
  /// Elements for the next message: about 100 us of work (a message itself costs 1 to 2 us), or as much as I/O threads
  /// do in 2 ms, or in a round trip for all of them, if that is at most 400 us of work. Grows at most fourfold per
  /// call, and not before each stage has seen an element.
  std::size_t elements(std::size_t most) {
    if (fixed_ != 0) return fixed_;
    if (const auto fewer = at_most_.load(std::memory_order_relaxed); fewer != 0) most = std::min(most, fewer);
    const double cost = mean();
    std::size_t want = last_;
    if (cost > 0) {
      const double fit = 100'000.0 / cost;
      want = fit >= static_cast<double>(most) ? most : fit < 1 ? 1 : static_cast<std::size_t>(fit);
    }
    last_ = std::min({want, last_ * 4, std::max<std::size_t>(most, 1)});
    return last_;
  }

 private:
  /// Of the stages' costs; 0: not known.
  double mean() const {
    double sum = 0;
    for (const auto& stage : stages_) {
      const double ns = stage.ns();
      if (ns < 0) return 0;
      sum += ns;
    }
    return stages_.empty() ? 0 : sum / static_cast<double>(stages_.size());
  }

  std::size_t fixed_;
  std::deque<element_cost> stages_{};
  std::atomic<std::size_t> at_most_{0};
  std::size_t last_ = 1;  // used by the producer only
};

}  // namespace plumbline::detail
