#pragma once
/// group<N>(), group(n): vectors of n consecutive elements of any type, which are moved. The last group of an epoch may
/// be smaller; `drop_remainder` drops it. `group(n) | map(collate)` gives the same as batch(n), and collates in
/// parallel, group by group; steps that make the elements of a group alike may come in between:
///   lines("*.txt") | map(tokenize) | group<32>() | map(padded) | map(collate)
/// tf.data: -, PyTorch: torchdata.nodes.Batcher, grain: batch(batch_fn=list), mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/data/spare_vectors.hpp>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

namespace plumbline {

namespace detail {
/// Groups by index: group i is made of the elements from i * n on.
template <class View> struct group_view {
  using element = std::vector<typename View::element>;
  static constexpr std::string_view name = "group";
  View up;
  std::uint64_t n;
  remainder rest;
  std::uint32_t id;
  constexpr group_view(const auto& op, const stream_context& cx, View v)
      : up(std::move(v)), n(op.n.value()), rest(op.rest.value()), id(cx.op) {}
  constexpr std::uint64_t size() const { return detail::groups_in(up.size(), n, rest); }
  template <class Sink> constexpr void get(element_index p, Sink&& sink) const {
    const auto filled = std::min(n, up.size() - p.index * n);
    lineage first{};
    element group;
    for (std::uint64_t i = 0; i != filled; ++i)
      up.get({p.index * n + i, p.epoch}, [&](auto&& x, const lineage& at) {
        detail::guarded(name, id, at, [&] {
          if (i == 0)
            first = at, group = detail::spare_vectors<typename View::element>::take(static_cast<std::size_t>(filled));
          group.push_back(std::forward<decltype(x)>(x));
        });
      });
    sink(std::move(group), first);
  }
};

/// Groups of a stream in order.
template <class In> struct group_kernel {
  std::uint64_t n;
  remainder rest;
  lineage first{};
  std::vector<In> held;
  constexpr group_kernel(const auto& op, const stream_context&) : n(op.n.value()), rest(op.rest.value()) {}
  constexpr void push(In&& x, const lineage& at, auto&& emit) {
    if (held.empty()) begin(at);
    held.push_back(std::move(x));
    if (held.size() == n) close(emit);
  }
  constexpr void push_all(std::span<In> xs, auto&& emit) {
    while (!xs.empty()) {
      if (held.empty()) begin({});
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(xs.size(), n - held.size()));
      held.insert(held.end(), xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(some));
      xs = xs.subspan(some);
      if (held.size() == n) close(emit);
    }
  }
  template <class Io> void state(Io& io) { io(held, first); }
  constexpr void finish(auto&& emit) {
    if (!held.empty() && rest == remainder::keep) close(emit);
  }

 private:
  constexpr void begin(const lineage& at) {
    held = spare_vectors<In>::take(room_for<In>(n));
    first = at;
  }
  constexpr void close(auto&& emit) { emit(std::exchange(held, {}), first); }
};
}  // namespace detail

template <class Size, auto Rest> struct group_op : op_base {
  static constexpr std::string_view name = "group";
  static constexpr bool reads_lineage = false, is_zero = Size::known() == cardinality::exactly(0);
  [[no_unique_address]] Size n;
  [[no_unique_address]] detail::remainder_of<Rest> rest;
  static constexpr auto sizes = std::tuple(&group_op::n, &group_op::rest);

  constexpr group_op(Size width, detail::remainder_of<Rest> r) : n(width), rest(r) {
    if (!is_zero && n.value() == 0)
      throw std::invalid_argument("plumbline: group(0) would hold nothing; give at least 1");
  }

  /// Element i is made from elements i * n to i * n + n - 1.
  constexpr std::uint64_t group_size() const { return n.value(); }
  template <class In> using output = std::vector<In>;
  template <class Up> static constexpr bool accepts = !is_zero;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    static_assert(ok, "plumbline: group<0> would hold nothing; give at least 1");
  }

  static constexpr stream_facts rule(stream_facts in, cardinality n, cardinality not_full) {
    in.count = grouped(in.count, n, not_full);
    return in;
  }

  template <class View> using view = detail::group_view<View>;
  template <class In> using kernel = detail::group_kernel<In>;
};

template <std::uint64_t N> constexpr auto group(auto... rest) {
  return detail::groups_of<group_op>(size<N>{}, rest...);
}
constexpr auto group(std::uint64_t n, auto... rest) { return detail::groups_of<group_op>(size<dynamic>{n}, rest...); }
constexpr auto group(std::signed_integral auto n, auto... rest) {
  return group(detail::count_from("group", n, "give at least 1"), rest...);
}
/// A mistake: without its argument, or without parentheses.
template <class None = void> constexpr auto group() {
  static_assert(detail::no<None>,
                "plumbline: group() needs the number of elements in a group: group<32>(), or group(n)");
  return ill_formed{};
}
detail::uncalled group(detail::uncalled);

}  // namespace plumbline
