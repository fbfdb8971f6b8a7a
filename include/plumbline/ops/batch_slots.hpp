#pragma once
/// batch in two halves: the stage that makes an element puts it into its slot of the batch's storage, from any thread;
/// a serial part emits complete batches. A batch fails when it is complete, and by the first of its elements that
/// fails, so that neither threads nor a remainder that is dropped decide what is reported.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/data/array_memory.hpp>
#include <plumbline/data/collate.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// A batch of more elements than this may be much larger than the stream is long. It has no slots until it is complete:
/// its elements are held as they are. 64 MiB of them, or 2^14 where they are large or their size is not known.
template <class In>
inline constexpr std::size_t most_slots = std::max<std::size_t>((std::size_t{1} << 26) /
                                                                    std::max<std::size_t>(slot_bytes<In>::value, 1),
                                                                1 << 14);

/// The storage of one batch.
template <class In> class batch_slots {
 public:
  /// `arrays`: where the batch's arrays should be; null: the memory pool. `most`: with more slots than this, elements
  /// are held first.
  batch_slots(std::size_t n, array_memory* arrays, std::size_t most = most_slots<In>) : arrays_(arrays) {
    if (n <= most) make_slots(n);
  }

  /// From any thread, once for each slot. An exception is kept for finish().
  void put(std::size_t slot, In&& x) noexcept {
    const allocate_in there(arrays_);
    if constexpr (noexcept(slots_->put(slot, std::move(x))))
      if (slots_) return slots_->put(slot, std::move(x));
    try {
      if (slots_)
        slots_->put(slot, std::move(x));
      else
        hold(slot, std::move(x));
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (slot >= failed_) return;
      failed_ = slot;
      cause_ = std::current_exception();
    }
  }
  /// Consecutive slots at once.
  void put_all(std::size_t slot, std::span<In> xs) requires collates_many<In> {
    const allocate_in there(arrays_);
    if (slots_) return slots_->put_all(slot, xs);
    for (auto& x : xs) hold(slot++, std::move(x));
  }
  /// No more elements come, and the first `filled` slots have one. Call it before what follows.
  void complete(std::size_t filled) {
    if (slots_) return;
    for (const auto& [slot, x] : held_) filled = std::max(filled, slot + 1);
    make_slots(filled);
    for (auto& [slot, x] : held_) put(slot, In(std::move(x)));
  }
  /// The first slot whose element makes finish() fail, else `filled`.
  std::size_t first_failed(std::size_t filled) const { return std::min(failed_, first_misfit(*slots_, filled)); }
  auto finish(std::size_t filled) && {
    const allocate_in there(arrays_);
    if (cause_ != nullptr && failed_ <= first_misfit(*slots_, filled)) std::rethrow_exception(cause_);
    return std::move(*slots_).finish(filled);
  }

 private:
  void make_slots(std::size_t n) {
    const allocate_in there(arrays_);
    slots_.emplace(n);
  }
  void hold(std::size_t slot, In&& x) {
    const std::scoped_lock lock(mutex_);
    held_.emplace_back(slot, std::move(x));
  }
  array_memory* const arrays_;
  std::optional<collator<In>> slots_;
  std::vector<std::pair<std::size_t, In>> held_;
  std::mutex mutex_;
  std::size_t failed_ = static_cast<std::size_t>(-1);
  std::exception_ptr cause_;
};

/// Which elements a batch was made from, as far as that is needed to report a failure.
template <class In> class batch_lineage {
 public:
  void put(std::size_t slot, const lineage& at) {
    if constexpr (collate_may_fail<In>) {
      if (at_.size() <= slot) at_.resize(slot + 1);
      at_[slot] = at;
    }
  }
  /// The finished batch; a failure is that of `op` and of the element that caused it.
  auto finish(batch_slots<In>& group, std::size_t filled, std::uint32_t op) const {
    group.complete(filled);
    if constexpr (collate_may_fail<In>) {
      const auto slot = group.first_failed(filled);
      if (slot < filled) return guarded("batch", op, at_[slot], [&] { return std::move(group).finish(filled); });
    }
    return std::move(group).finish(filled);
  }

 private:
  struct nothing {};
  [[no_unique_address]] std::conditional_t<collate_may_fail<In>, std::vector<lineage>, nothing> at_;
};

/// A filled slot of a batch.
template <class In> struct filled_slot {
  std::shared_ptr<batch_slots<In>> of;
  std::size_t slot;
};
/// Puts each element into its slot, from any thread.
template <class In> struct scatter_batch {
  static constexpr std::string_view name = "batch";

  scatter_batch(const auto& op, const stream_context& cx) : n_(op.n.value()), arrays_(cx.arrays) {}
  filled_slot<In> transform(const position_context& cx, In&& x) const {
    filled_slot<In> to{group_of(cx.epoch_id, cx.position / n_), static_cast<std::size_t>(cx.position % n_)};
    to.of->put(to.slot, std::move(x));
    return to;
  }

 private:
  struct open_group {
    std::uint64_t stream, number;
    std::weak_ptr<batch_slots<In>> held;  // owned by its filled slots, until the group is passed on
  };
  std::shared_ptr<batch_slots<In>> group_of(std::uint64_t stream, std::uint64_t number) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& g : open_)
      if (g.stream == stream && g.number == number)
        if (auto s = g.held.lock()) return s;
    std::erase_if(open_, [](const auto& g) { return g.held.expired(); });
    auto s = std::make_shared<batch_slots<In>>(static_cast<std::size_t>(n_), arrays_);
    open_.push_back({stream, number, s});
    return s;
  }
  std::uint64_t n_;
  array_memory* arrays_;
  mutable std::mutex mutex_;
  mutable std::vector<open_group> open_;
};
/// Emits a batch when its slots are full.
template <class In> struct finalize_batch {
  struct open_group {
    std::shared_ptr<batch_slots<In>> of;
    std::uint64_t filled = 0;
    lineage first{};
    batch_lineage<In> elements{};
  };
  std::uint64_t n;
  remainder rest;
  std::uint32_t id;
  std::vector<open_group> open;  // more than one only when the order is not kept
  finalize_batch(const auto& op, const stream_context& cx) : n(op.n.value()), rest(op.rest.value()), id(cx.op) {}
  void push(filled_slot<In>&& x, const lineage& at, auto&& emit) {
    std::size_t i = 0;
    while (i != open.size() && open[i].of != x.of) ++i;
    if (i == open.size()) open.push_back({.of = std::move(x.of)});
    if (x.slot == 0) open[i].first = at;  // identifies the batch, in whatever order its elements come
    open[i].elements.put(x.slot, at);
    if (++open[i].filled == n) {
      close(open[i], emit);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  template <class Io> void state(Io& io) {
    if (!open.empty() && !Io::loads) io.not_now();  // the stages are filling them
  }
  void finish(auto&& emit) {
    if (rest == remainder::keep)
      for (auto& g : open) close(g, emit);
    open.clear();
  }

 private:
  void close(open_group& g, auto&& emit) {
    emit(g.elements.finish(*g.of, static_cast<std::size_t>(g.filled), id), g.first);
  }
};

}  // namespace plumbline::detail
