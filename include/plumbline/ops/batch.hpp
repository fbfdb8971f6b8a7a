#pragma once
/// batch<N>(), batch(n): groups of n consecutive elements as columns (data/collate.hpp says what becomes what). The
/// last group of an epoch may be smaller; `drop_remainder` leaves it out, as in tf.data.
///   files("*.jpg") | read_file() | map(decode()) | map(resize<224, 224>()) | batch<32>()
/// Elements that are more than a few numbers are put into their slots by the stage that makes them, in parallel.

#include <plumbline/core/chain.hpp>
#include <plumbline/data/collate.hpp>
#include <plumbline/data/image.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

namespace plumbline {

/// What becomes of an epoch's last group when it is not full.
enum class remainder : bool { keep, drop };
inline constexpr auto drop_remainder = remainder::drop;

template <class Size> struct batch_op : op_base {
  static constexpr std::string_view name = "batch";
  static constexpr bool reads_lineage = false, is_zero = Size::known() == cardinality::exactly(0);
  [[no_unique_address]] Size n;
  remainder rest;

  constexpr batch_op(Size width, remainder r) : n(width), rest(r) {
    if (!is_zero && n.value() == 0)
      throw std::invalid_argument("plumbline: batch(0): a batch holds at least one element");
  }

  // Type
  template <class In> using output = batch_of<In>;
  template <class Up> static constexpr bool accepts = collatable<typename Up::element> && !is_zero;
  template <class Up> static consteval void explain() {
    if constexpr (is_zero)
      static_assert(accepts<Up>, "plumbline: batch<0>: a batch holds at least one element");
    else if constexpr (std::same_as<typename Up::element, image>)
      static_assert(accepts<Up>,
                    "plumbline: batch: images of different sizes do not fit into one batch; resize or crop them "
                    "first (map(resize<224, 224>())), or use padded_batch");
    else
      static_assert(accepts<Up>,
                    "plumbline: batch: this element cannot be collated; map it to numbers, tensors, strings or a "
                    "struct of those, or specialise plumbline::collator for it");
  }

  // Model
  static constexpr stream_facts rule(stream_facts in, cardinality n) {
    in.count = {grouped(in.count, n, false).least, grouped(in.count, n, true).most, in.count.endless};
    in.indexed = false;
    return in;
  }
  constexpr stream_facts rule_now(stream_facts in) const {
    in.count = grouped(in.count, n.now(), rest == remainder::keep);
    in.indexed = false;
    return in;
  }

  // Kernel: one stream, one thread
  template <class In> struct kernel {
    using element = batch_of<In>;
    std::uint64_t n, filled = 0;
    remainder rest;
    lineage first{};
    std::optional<collator<In>> group;
    kernel(const batch_op& op, const stream_context&) : n(op.n.value()), rest(op.rest) {}
    void push(item<In>&& x, auto&& emit) {
      if (filled == 0) {
        group.emplace(static_cast<std::size_t>(n));
        first = x.at;
      }
      group->put(static_cast<std::size_t>(filled), std::move(x.value));
      if (++filled == n) close(emit);
    }
    void finish(auto&& emit) {
      if (filled != 0 && rest == remainder::keep) close(emit);
    }

   private:
    void close(auto&& emit) {
      emit(item<element>{std::move(*group).finish(static_cast<std::size_t>(std::exchange(filled, 0))), first});
      group.reset();
    }
  };

  // Kernel in two halves: `fill` where the elements are made, from many threads; `close` hands the groups on
  template <class In> struct slots {
    explicit slots(std::size_t n) : group(n) {}
    collator<In> group;
    std::uint64_t number = 0;
  };
  /// One filled slot of a group.
  template <class In> struct filled_slot { std::shared_ptr<slots<In>> of; };
  template <class In> struct fill {
    static constexpr std::string_view name = "batch";
    static constexpr bool one_to_one = true, uses_position = true;
    template <class> using output = filled_slot<In>;

    explicit fill(const batch_op& op) : n_(op.n.value()) {}
    void apply(const element_context& cx, In&& x, auto&& emit) const {
      auto s = group_of(cx.group, cx.position / n_);
      detail::guarded(name, cx, [&] { s->group.put(static_cast<std::size_t>(cx.position % n_), std::move(x)); });
      emit(filled_slot<In>{std::move(s)});
    }

   private:
    struct open_group {
      std::uint64_t stream, number;
      std::weak_ptr<slots<In>> held;  // by its filled slots, until the group is handed on
    };
    std::shared_ptr<slots<In>> group_of(std::uint64_t stream, std::uint64_t number) const {
      const std::scoped_lock lock(mutex_);
      for (const auto& g : open_)
        if (g.stream == stream && g.number == number)
          if (auto s = g.held.lock()) return s;
      std::erase_if(open_, [](const auto& g) { return g.held.expired(); });
      auto s = std::make_shared<slots<In>>(static_cast<std::size_t>(n_));
      s->number = number;
      open_.push_back({stream, number, s});
      return s;
    }
    std::uint64_t n_;
    mutable std::mutex mutex_;
    mutable std::vector<open_group> open_;
  };
  template <class In> struct close {
    using element = batch_of<In>;
    struct open_group {
      std::shared_ptr<slots<In>> of;
      std::uint64_t filled;
      lineage first;
    };
    std::uint64_t n;
    remainder rest;
    std::vector<open_group> open;  // more than one only when the order is not kept
    close(const batch_op& op, const stream_context&) : n(op.n.value()), rest(op.rest) {}
    void push(item<filled_slot<In>>&& x, auto&& emit) {
      std::size_t i = 0;
      while (i != open.size() && open[i].of != x.value.of) ++i;
      if (i == open.size()) open.push_back({std::move(x.value.of), 0, x.at});
      if (++open[i].filled == n) {
        hand_on(open[i], emit);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    void finish(auto&& emit) {
      if (rest == remainder::keep)
        for (auto& g : open) hand_on(g, emit);
      open.clear();
    }

   private:
    static void hand_on(open_group& g, auto&& emit) {
      emit(item<element>{std::move(g.of->group).finish(static_cast<std::size_t>(g.filled)), g.first});
    }
  };
};

template <std::uint64_t N> constexpr auto batch(remainder r = remainder::keep) {
  return batch_op<size<N>>(size<N>{}, r);
}
constexpr auto batch(std::uint64_t n, remainder r = remainder::keep) {
  return batch_op<size<dynamic>>(size<dynamic>{n}, r);
}

}  // namespace plumbline
