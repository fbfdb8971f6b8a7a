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
#include <span>
#include <stdexcept>
#include <vector>

namespace plumbline {

/// What becomes of an epoch's last group when it is not full.
enum class remainder : bool { keep, drop };
/// Part of the type, so that the count is known exactly: batch<32>(drop_remainder).
inline constexpr std::integral_constant<remainder, remainder::drop> drop_remainder{};

namespace detail {
/// What the type says of the remainder, or with `dynamic` the object.
template <auto Rest> struct remainder_of {
  static constexpr remainder value() { return Rest; }
};
template <> struct remainder_of<dynamic> {
  remainder rest;
  constexpr remainder value() const { return rest; }
};

template <class T> inline constexpr bool is_image = false;
template <class T> inline constexpr bool is_image<basic_image<T>> = true;
/// An image, or a struct or tuple with one in it.
template <class T> consteval bool holds_image() {
  if constexpr (is_image<T>)
    return true;
  else if constexpr (composite<T>)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (holds_image<Parts>() || ...);
    }(std::type_identity<parts_t<T>>{});
  else
    return false;
}
/// Their template arguments are read in the compiler's message.
template <class Element, bool ok> consteval void batch_collates() {
  static_assert(
      ok,
      "plumbline: batch cannot put this element into columns, see Element in this message; map it to numbers, "
      "tensors, strings or a plain struct of those, or specialise plumbline::collator for it");
}
template <class Element, bool ok> consteval void batch_collates_images() {
  static_assert(
      ok,
      "plumbline: batch cannot hold images of different sizes, see Element in this message; make them equal with "
      "map(resize<224, 224>()), or use padded_batch");
}
}  // namespace detail

template <class Size, auto Rest = remainder::keep> struct batch_op : op_base {
  static constexpr std::string_view name = "batch";
  static constexpr bool reads_lineage = false, is_zero = Size::known() == cardinality::exactly(0);
  [[no_unique_address]] Size n;
  [[no_unique_address]] detail::remainder_of<Rest> rest;

  constexpr batch_op(Size width, detail::remainder_of<Rest> r) : n(width), rest(r) {
    if (!is_zero && n.value() == 0)
      throw std::invalid_argument("plumbline: batch(0) would hold nothing; give at least 1");
  }

  // Type
  template <class In> using output = batch_of<In>;
  template <class Up> static constexpr bool accepts = collatable<typename Up::element> && !is_zero;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (is_zero)
      static_assert(ok, "plumbline: batch<0> would hold nothing; give at least 1");
    else if constexpr (detail::holds_image<typename Up::element>())
      detail::batch_collates_images<typename Up::element, ok>();
    else
      detail::batch_collates<typename Up::element, ok>();
  }

  // Model
  static constexpr stream_facts rule(stream_facts in, cardinality n) {
    if constexpr (std::same_as<decltype(Rest), remainder>)
      in.count = grouped(in.count, n, Rest == remainder::keep);
    else
      in.count = {grouped(in.count, n, false).least, grouped(in.count, n, true).most, in.count.endless};
    return in;
  }
  constexpr stream_facts rule_now(stream_facts in) const {
    in.count = grouped(in.count, n.now(), rest.value() == remainder::keep);
    return in;
  }

  // Kernel: one stream, one thread
  template <class In> struct kernel {
    using element = batch_of<In>;
    std::uint64_t n, filled = 0;
    remainder rest;
    lineage first{};
    std::optional<collator<In>> group;
    kernel(const batch_op& op, const stream_context&) : n(op.n.value()), rest(op.rest.value()) {}
    void push(In&& x, const lineage& at, auto&& emit) {
      if (filled == 0) {
        group.emplace(static_cast<std::size_t>(n));
        first = at;
      }
      group->put(static_cast<std::size_t>(filled), std::move(x));
      if (++filled == n) close(emit);
    }
    void push_all(std::span<In> xs, auto&& emit) requires requires(collator<In>& c, std::size_t slot) {
      c.put_all(slot, xs);
    }
    {
      while (!xs.empty()) {
        if (filled == 0) group.emplace(static_cast<std::size_t>(n));
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(xs.size(), n - filled));
        group->put_all(static_cast<std::size_t>(filled), xs.first(some));
        xs = xs.subspan(some);
        if ((filled += some) == n) close(emit);
      }
    }
    void finish(auto&& emit) {
      if (filled != 0 && rest == remainder::keep) close(emit);
    }

   private:
    void close(auto&& emit) {
      emit(std::move(*group).finish(static_cast<std::size_t>(std::exchange(filled, 0))), first);
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
  template <class In> struct filled_slot {
    std::shared_ptr<slots<In>> of;
    bool leads;  ///< the group's first
  };
  template <class In>
    requires(!collate_is_cheap<In>)
  struct fill {
    static constexpr std::string_view name = "batch";
    static constexpr bool one_to_one = true, emits_once = true, uses_position = true;
    template <class> using output = filled_slot<In>;

    explicit fill(const batch_op& op) : n_(op.n.value()) {}
    void apply(const element_context& cx, In&& x, auto&& emit) const {
      auto s = group_of(cx.group, cx.position / n_);
      s->group.put(static_cast<std::size_t>(cx.position % n_), std::move(x));
      emit(filled_slot<In>{std::move(s), cx.position % n_ == 0});
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
    close(const batch_op& op, const stream_context&) : n(op.n.value()), rest(op.rest.value()) {}
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
};

template <std::uint64_t N> constexpr auto batch() { return batch_op<size<N>>({}, {}); }
template <std::uint64_t N, remainder R> constexpr auto batch(std::integral_constant<remainder, R>) {
  return batch_op<size<N>, R>({}, {});
}
template <std::uint64_t N> constexpr auto batch(remainder r) { return batch_op<size<N>, dynamic>({}, {r}); }
constexpr auto batch(std::uint64_t n) { return batch_op<size<dynamic>>({n}, {}); }
template <remainder R> constexpr auto batch(std::uint64_t n, std::integral_constant<remainder, R>) {
  return batch_op<size<dynamic>, R>({n}, {});
}
constexpr auto batch(std::uint64_t n, remainder r) { return batch_op<size<dynamic>, dynamic>({n}, {r}); }
constexpr auto batch(std::signed_integral auto n, auto... rest) {
  return batch(detail::count_from("batch", n, "give at least 1"), rest...);
}

}  // namespace plumbline
