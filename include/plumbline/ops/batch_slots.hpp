#pragma once
/// batch in two halves: the stage that makes an element puts it into its slot of the batch's storage, from any thread;
/// a serial part hands the batches on.

#include <plumbline/core/kernel.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/data/collate.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace plumbline::detail {

/// The storage of one batch.
template <class In> struct batch_slots {
  explicit batch_slots(std::size_t n) : group(n) {}
  collator<In> group;
};
/// One slot of it, filled.
template <class In> struct filled_slot {
  std::shared_ptr<batch_slots<In>> of;
  bool leads;  ///< the group's first
};
/// Puts each element into its slot, from any thread.
template <class In> struct scatter_batch {
  static constexpr std::string_view name = "batch";

  explicit scatter_batch(const auto& op) : n_(op.n.value()) {}
  filled_slot<In> transform(const position_context& cx, In&& x) const {
    auto s = group_of(cx.epoch_id, cx.position / n_);
    s->group.put(static_cast<std::size_t>(cx.position % n_), std::move(x));
    return {std::move(s), cx.position % n_ == 0};
  }

 private:
  struct open_group {
    std::uint64_t stream, number;
    std::weak_ptr<batch_slots<In>> held;  // by its filled slots, until the group is handed on
  };
  std::shared_ptr<batch_slots<In>> group_of(std::uint64_t stream, std::uint64_t number) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& g : open_)
      if (g.stream == stream && g.number == number)
        if (auto s = g.held.lock()) return s;
    std::erase_if(open_, [](const auto& g) { return g.held.expired(); });
    auto s = std::make_shared<batch_slots<In>>(static_cast<std::size_t>(n_));
    open_.push_back({stream, number, s});
    return s;
  }
  std::uint64_t n_;
  mutable std::mutex mutex_;
  mutable std::vector<open_group> open_;
};
/// Hands a batch on when its slots are full.
template <class In> struct finalize_batch {
  struct open_group {
    std::shared_ptr<batch_slots<In>> of;
    std::uint64_t filled;
    lineage first;
  };
  std::uint64_t n;
  remainder rest;
  std::vector<open_group> open;  // more than one only when the order is not kept
  finalize_batch(const auto& op, const stream_context&) : n(op.n.value()), rest(op.rest.value()) {}
  void push(filled_slot<In>&& x, const lineage& at, auto&& emit) {
    std::size_t i = 0;
    while (i != open.size() && open[i].of != x.of) ++i;
    if (i == open.size()) open.push_back({std::move(x.of), 0, at});
    if (x.leads) open[i].first = at;  // the batch is known by it, whichever comes first
    if (++open[i].filled == n) {
      hand_on(open[i], emit);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  template <class Io> void state(Io& io) {
    if (!open.empty() && !Io::loads) io.not_now();  // the stages are filling them
  }
  void finish(auto&& emit) {
    if (rest == remainder::keep)
      for (auto& g : open) hand_on(g, emit);
    open.clear();
  }

 private:
  static void hand_on(open_group& g, auto&& emit) {
    emit(std::move(g.of->group).finish(static_cast<std::size_t>(g.filled)), g.first);
  }
};

}  // namespace plumbline::detail
