#pragma once
/// event_ring: the latest events of one thread. Its thread writes without locks and never waits; when the ring is full
/// the oldest event is overwritten. Any thread may copy it meanwhile.

#include <plumbline/data/pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::detail {

enum class event_kind : std::uint8_t { work, take, fetch, call, sample };

inline constexpr std::int64_t timing_unit = 64;  ///< ticks

/// One event. Which members are used depends on its kind.
struct timeline_event {
  std::int64_t begun = 0, ended = 0;  ///< ticks
  std::uint64_t sequence = 0;
  std::uint64_t index = 0;  ///< sample: the lineage's; work: first; take: pass; fetch, call: position
  std::uint64_t other =
      0;  ///< sample: the lineage's part; work: ticks since when it was queued, or the input's sequence
  std::uint32_t epoch = 0;
  std::uint32_t count = 0;   ///< elements; sample: place
  std::uint32_t used = 0;    ///< work: of the input; take, fetch: passed over; sample: the bits of its weight, a float
  std::uint16_t number = 0;  ///< sample: operator; work: part; take: the segment that takes
  std::uint16_t source = 0;  ///< sample: source; work: the input's segment
  std::uint16_t segment = 0;
  std::uint16_t few = 0;  ///< sample: elements; work: what timing cost, in units of timing_unit
  event_kind kind{};
  bool known = false;   ///< sample: its lineage; work: it takes from a channel
  bool made = true;     ///< work
  std::uint8_t by = 0;  ///< which of the consumer's threads; set by the ring
};
static_assert(sizeof(timeline_event) <= 64);

/// The memory for events that rings may still add to their own, in bytes.
class event_budget {
 public:
  explicit event_budget(std::size_t bytes) : left_(bytes) {}
  /// Takes so many, if they are left.
  bool take(std::size_t bytes) {
    auto left = left_.load(std::memory_order_relaxed);
    while (left >= bytes)
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    return false;
  }

 private:
  std::atomic<std::size_t> left_;
};

/// Its memory comes from the memory pool, in blocks, when the first event of a block is written: fresh memory costs
/// more than an event. A ring that is full for the first time doubles, while the budget allows: threads that write few
/// events leave theirs to the others.
class event_ring {
 public:
  static constexpr std::size_t block_bytes = std::size_t{1} << 16;

  /// `bytes`: its own; only one of at least a block grows. `more`: what it grows by.
  event_ring(std::size_t bytes, event_budget& more, std::string name)
      : capacity_(std::bit_floor(std::max<std::size_t>(bytes / 64, 16))), more_(more), name_(std::move(name)) {
    for (std::size_t level = 0; level <= level_of((capacity_.load() + in_block - 1) / in_block - 1); ++level)
      add(level);
  }

  const std::string& name() const { return name_; }
  /// Which of the consumer's threads writes from now on.
  void by(std::uint8_t thread) { by_ = thread; }
  /// Called by one thread at a time.
  void write(timeline_event e) {
    e.by = by_;
    const auto n = next_.load(std::memory_order_relaxed);
    auto slot = n & (capacity() - 1);
    if (slot % in_block == 0) {
      if (slot == 0 && n == capacity() && grows()) slot = n;
      to_ = started(slot / in_block);
    }
    std::uint64_t w[8]{};
    std::memcpy(w, &e, sizeof e);
    begun_.store(n + 1, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_release);
    auto* to = to_ + 8 * (slot % in_block);
    for (int i = 0; i != 8; ++i) std::atomic_ref(to[i]).store(w[i], std::memory_order_relaxed);
    next_.store(n + 1, std::memory_order_release);
  }
  /// Appends the events from number `from` on that are still there; returns the number of the first, and sets `from` to
  /// that of the next.
  std::uint64_t copy(std::vector<timeline_event>& out, std::uint64_t& from) const {
    const auto end = next_.load(std::memory_order_acquire);
    const auto most = capacity();  // if it has doubled since, no event has been overwritten, and all are in their slots
    auto first = std::max(from, end > most ? end - most : 0);
    const auto before = out.size();
    for (auto i = first; i < end; ++i) {
      std::uint64_t w[8];
      const auto slot = i & (most - 1);
      auto* at = words_of(slot / in_block) + 8 * (slot % in_block);
      for (int k = 0; k != 8; ++k) w[k] = std::atomic_ref(at[k]).load(std::memory_order_relaxed);
      std::memcpy(&out.emplace_back(), w, sizeof(timeline_event));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    // what has been overwritten meanwhile, or is being, is no event
    const auto begun = begun_.load(std::memory_order_acquire);
    if (const auto kept = begun > capacity() ? begun - capacity() : 0; kept > first) {
      const auto gone = std::min<std::uint64_t>(kept, end) - first;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(before),
                out.begin() + static_cast<std::ptrdiff_t>(before + gone));
      first += gone;
    }
    from = end;
    return first;
  }

 private:
  static constexpr std::size_t in_block = block_bytes / 64;  ///< events
  /// Block 0 is level 0, then each level has as many blocks as those before it: doubling adds one and moves none.
  static std::size_t level_of(std::size_t block) { return static_cast<std::size_t>(std::bit_width(block)); }
  void add(std::size_t level) {
    levels_[level] = std::make_unique<pool_block[]>(level == 0 ? 1 : std::size_t{1} << (level - 1));
  }
  pool_block& at(std::size_t block) const { return levels_[level_of(block)][block - std::bit_floor(block)]; }
  std::uint64_t* words_of(std::size_t block) const { return static_cast<std::uint64_t*>(at(block).get()); }
  /// The words of a block, into which nothing has been written yet, or not for one turn of the ring.
  std::uint64_t* started(std::size_t block) {
    if (at(block).get() == nullptr) {
      const allocate_in here(nullptr);  // not where a batch puts its arrays
      at(block) = pool_block(64 * std::min(in_block, capacity()));
    }
    return words_of(block);
  }
  std::size_t capacity() const { return capacity_.load(std::memory_order_relaxed); }
  /// Doubles, if the budget allows.
  bool grows() {
    const auto now = capacity();
    if (now < in_block || !more_.take(64 * now)) return false;
    add(level_of(now / in_block));
    capacity_.store(2 * now, std::memory_order_relaxed);
    return true;
  }

  std::atomic<std::size_t> capacity_;  ///< a power of two; stored before `begun_` and `next_`
  event_budget& more_;
  std::array<std::unique_ptr<pool_block[]>, 48> levels_{};  ///< a block is written before `next_` names an event in it
  const std::string name_;
  std::uint64_t* to_ = nullptr;  ///< the block of the next event
  std::uint8_t by_ = 0;
  alignas(64) std::atomic<std::uint64_t> begun_{0}, next_{0};
};

}  // namespace plumbline::detail
