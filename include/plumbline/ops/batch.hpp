#pragma once
/// batch<N>(), batch(n): groups of n consecutive elements as columns (data/collate.hpp lists the conversions). The
/// last group of an epoch may be smaller; `drop_remainder` drops it, as in tf.data.
///   files("*.jpg") | read_file() | map(decode()) | map(resize<224, 224>()) | batch<32>()
/// Elements that are more than a few numbers are put into their slots by the stage that makes them, in parallel.
/// tf.data: batch, PyTorch: DataLoader(batch_size), grain: batch, mlx-data: batch

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/fields.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/data/collate.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/ops/batch_slots.hpp>
#include <plumbline/ops/group.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace plumbline {

namespace detail {
template <class T> struct is_image : std::false_type {};
template <class T> struct is_image<basic_image<T>> : std::true_type {};
template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
/// The compiler's message shows the template arguments of these functions.
template <class Element, bool ok> consteval void batch_collates_vectors() {
  static_assert(ok,
                "plumbline: batch cannot hold vectors, whose lengths may differ, see Element in this message; use "
                "padded_batch(n), ragged_batch(n) or bucket_by_length, or map them to std::array or tensor if all are "
                "of one length");
}
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
      "map(resize<224, 224>()), or take groups of them with group(n)");
}
}  // namespace detail

template <class Size, auto Rest> struct batch_op : op_base {
  static constexpr std::string_view name = "batch";
  static constexpr bool is_zero = Size::known() == cardinality::exactly(0);
  [[no_unique_address]] Size n;
  [[no_unique_address]] detail::remainder_of<Rest> rest;
  static constexpr auto sizes = std::tuple(&batch_op::n, &batch_op::rest);

  constexpr batch_op(Size width, detail::remainder_of<Rest> r) : n(width), rest(r) {
    if (!is_zero && n.value() == 0)
      throw std::invalid_argument("plumbline: batch(0) would hold nothing; give at least 1");
  }

  /// Element i is made from elements i * n to i * n + n - 1.
  constexpr std::uint64_t group_size() const { return n.value(); }

  // Type
  template <class In> using output = batch_of<In>;
  template <class Up> static constexpr bool accepts = collatable<typename Up::element> && !is_zero;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (is_zero)
      static_assert(ok, "plumbline: batch<0> would hold nothing; give at least 1");
    else if constexpr (detail::holds<typename Up::element, detail::is_image>())
      detail::batch_collates_images<typename Up::element, ok>();
    else if constexpr (detail::holds<typename Up::element, detail::is_vector>())
      detail::batch_collates_vectors<typename Up::element, ok>();
    else
      detail::batch_collates<typename Up::element, ok>();
  }

  // Model
  static constexpr stream_facts rule(stream_facts in, cardinality n, cardinality not_full) {
    in.count = grouped(in.count, n, not_full);
    return in;
  }

  // Kernel: one stream, one thread
  template <class In> static constexpr bool reads_lineage_of = detail::collate_may_fail<In>;
  template <class In> struct kernel {
    std::uint64_t n, filled = 0;
    remainder rest;
    std::uint32_t id;
    detail::array_memory* arrays;
    lineage first{};
    detail::batch_lineage<In> elements{};
    std::unique_ptr<std::optional<detail::batch_slots<In>>> group;  // a kernel is movable, a collator need not be
    kernel(const batch_op& op, const stream_context& cx)
        : n(op.n.value()),
          rest(op.rest.value()),
          id(cx.op),
          arrays(cx.arrays),
          group(std::make_unique<std::optional<detail::batch_slots<In>>>()) {}
    void push(In&& x, const lineage& at, auto&& emit) {
      if (filled == 0) {
        group->emplace(static_cast<std::size_t>(n), arrays);
        first = at;
      }
      elements.put(static_cast<std::size_t>(filled), at);
      (*group)->put(static_cast<std::size_t>(filled), std::move(x));
      if (++filled == n) close(emit);
    }
    void push_all(std::span<In> xs, auto&& emit) requires detail::collates_many<In> {
      while (!xs.empty()) {
        if (filled == 0) group->emplace(static_cast<std::size_t>(n), arrays);
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(xs.size(), n - filled));
        (*group)->put_all(static_cast<std::size_t>(filled), xs.first(some));
        xs = xs.subspan(some);
        if ((filled += some) == n) close(emit);
      }
    }
    template <class Io> void state(Io& io) {
      if (filled != 0 && !Io::loads) io.not_now();  // only between groups
    }
    void finish(auto&& emit) {
      if (filled != 0 && rest == remainder::keep) close(emit);
    }

   private:
    void close(auto&& emit) {
      emit(elements.finish(**group, static_cast<std::size_t>(std::exchange(filled, 0)), id), first);
      group->reset();
    }
  };

  // View: batch i is made of the elements from i * n on
  template <class View> struct view {
    using In = typename View::element;
    using element = batch_of<In>;
    View up;
    std::uint64_t n;
    remainder rest;
    std::uint32_t id;
    detail::array_memory* arrays;
    view(const batch_op& op, const stream_context& cx, View v)
        : up(std::move(v)), n(op.n.value()), rest(op.rest.value()), id(cx.op), arrays(cx.arrays) {}
    std::uint64_t size() const { return detail::groups_in(up.size(), n, rest); }
    template <class Sink> void get(element_index p, Sink&& sink) const {
      const auto filled = static_cast<std::size_t>(std::min(n, up.size() - p.index * n));
      lineage first{};
      const auto own = [&](const lineage& at, auto&& f) -> decltype(auto) { return detail::guarded(name, id, at, f); };
      std::optional<detail::batch_slots<In>> group;
      detail::batch_lineage<In> elements;
      const auto each = [&, begin = p.index * n, epoch = p.epoch](std::size_t from, std::size_t to, auto&& put) {
        for (auto i = from; i != to; ++i)
          up.get({begin + i, epoch}, [&](auto&& x, const lineage& at) { put(i, std::forward<decltype(x)>(x), at); });
      };
      const auto put = [&](std::size_t i, auto&& x, const lineage& at) {
        own(at, [&] {
          if (i == 0) group.emplace(filled, arrays, filled), first = at;
          elements.put(i, at);
          group->put(i, In(std::forward<decltype(x)>(x)));
        });
      };
      if constexpr (std::is_trivial_v<In> && sizeof(In) <= 16 && detail::collates_many<In>) {
        each(0, 1, put);
        std::array<In, 256> held;
        for (std::size_t done = 1, some; done < filled; done += some) {
          some = std::min(filled - done, held.size());
          each(done, done + some, [&](std::size_t i, In x, const lineage&) { held[i - done] = x; });
          own(first, [&] { group->put_all(done, std::span(held.data(), some)); });
        }
      } else {
        each(0, filled, put);
      }
      sink(own(first, [&] { return elements.finish(*group, filled, id); }), first);
    }
  };

  // Kernel in two halves: `scatter` where the elements are made, on many threads; `finalize` passes the groups on
  template <class In>
    requires(!collate_is_cheap<In>)
  using scatter = detail::scatter_batch<In>;
  template <class In> using finalize = detail::finalize_batch<In>;

  // In constant expressions: vectors
  template <class In> using plain_output = std::vector<In>;
  template <class In> using plain_kernel = detail::group_kernel<In>;
  template <class View> using plain_view = detail::group_view<View>;
};

template <std::uint64_t N> constexpr auto batch(auto... rest) {
  return detail::groups_of<batch_op>(size<N>{}, rest...);
}
constexpr auto batch(std::uint64_t n, auto... rest) { return detail::groups_of<batch_op>(size<dynamic>{n}, rest...); }
constexpr auto batch(std::signed_integral auto n, auto... rest) {
  return batch(detail::count_from("batch", n, "give at least 1"), rest...);
}
/// A mistake: without its argument, or without parentheses.
template <class None = void> constexpr auto batch() {
  static_assert(detail::no<None>,
                "plumbline: batch() needs the number of elements in a batch: batch<32>(), or batch(n)");
  return ill_formed{};
}
detail::uncalled batch(detail::uncalled);

}  // namespace plumbline
