#pragma once
/// event_ring: the latest events of one thread. Its thread writes without locks and never waits; when the ring is full
/// the oldest event is overwritten. Any thread may copy it meanwhile.

#include <plumbline/data/pool.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  std::uint64_t index = 0;  ///< sample: the lineage's; work: first; fetch, call: position
  std::uint64_t other =
      0;  ///< sample: the lineage's part; work: ticks since when it was queued, or the input's sequence
  std::uint32_t epoch = 0;
  std::uint32_t count = 0;   ///< elements; sample: place
  std::uint32_t used = 0;    ///< work: of the input; sample: the bits of its weight, a float
  std::uint16_t number = 0;  ///< sample: operator; work: part; take: the segment that takes
  std::uint16_t source = 0;  ///< sample: source; work: the input's segment
  std::uint16_t segment = 0;
  std::uint16_t few = 0;  ///< sample: elements; work: what timing cost, in units of timing_unit
  event_kind kind{};
  bool known = false;  ///< sample: its lineage; work: it takes from a channel
  bool made = true;    ///< work
};
static_assert(sizeof(timeline_event) <= 64);

/// Its memory comes from the memory pool, in blocks, when the first event of a block is written: fresh memory costs
/// more than an event.
class event_ring {
 public:
  event_ring(std::size_t bytes, std::string name)
      : capacity_(std::bit_floor(std::max<std::size_t>(bytes / 64, 16))),
        blocks_((capacity_ + in_block - 1) / in_block),
        name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Called by one thread at a time.
  void write(const timeline_event& e) {
    const auto n = next_.load(std::memory_order_relaxed);
    const auto slot = n & (capacity_ - 1);
    if (slot % in_block == 0) to_ = started(slot / in_block);
    std::uint64_t w[8]{};
    std::memcpy(w, &e, sizeof e);
    begun_.store(n + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    auto* to = to_ + 8 * (slot % in_block);
    for (int i = 0; i != 8; ++i) std::atomic_ref(to[i]).store(w[i], std::memory_order_relaxed);
    next_.store(n + 1, std::memory_order_release);
  }
  /// Appends the events from number `from` on that are still there; returns the number of the first, and sets `from` to
  /// that of the next.
  std::uint64_t copy(std::vector<timeline_event>& out, std::uint64_t& from) const {
    const auto end = next_.load(std::memory_order_acquire);
    auto first = std::max(from, end > capacity_ ? end - capacity_ : 0);
    const auto before = out.size();
    for (auto i = first; i < end; ++i) {
      std::uint64_t w[8];
      const auto slot = i & (capacity_ - 1);
      auto* at = words_of(slot / in_block) + 8 * (slot % in_block);
      for (int k = 0; k != 8; ++k) w[k] = std::atomic_ref(at[k]).load(std::memory_order_relaxed);
      std::memcpy(&out.emplace_back(), w, sizeof(timeline_event));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    // what has been overwritten meanwhile, or is being, is no event
    const auto begun = begun_.load(std::memory_order_relaxed);
    if (const auto kept = begun > capacity_ ? begun - capacity_ : 0; kept > first) {
      const auto gone = std::min<std::uint64_t>(kept, end) - first;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(before),
                out.begin() + static_cast<std::ptrdiff_t>(before + gone));
      first += gone;
    }
    from = end;
    return first;
  }

 private:
  static constexpr std::size_t in_block = 1024;  ///< events: 64 KiB

  std::uint64_t* words_of(std::size_t block) const { return static_cast<std::uint64_t*>(blocks_[block].get()); }
  /// The words of a block, into which nothing has been written yet, or not for one turn of the ring.
  std::uint64_t* started(std::size_t block) {
    if (blocks_[block].get() == nullptr) {
      const allocate_in here(nullptr);  // not where a batch puts its arrays
      blocks_[block] = pool_block(64 * std::min(in_block, capacity_));
    }
    return words_of(block);
  }

  const std::size_t capacity_;      ///< a power of two
  std::vector<pool_block> blocks_;  ///< one is written before `next_` names an event in it
  const std::string name_;
  std::uint64_t* to_ = nullptr;  ///< the block of the next event
  alignas(64) std::atomic<std::uint64_t> begun_{0}, next_{0};
};

}  // namespace plumbline::detail
