#pragma once
/// group_by_window(key, n): elements with the same key in groups of n, as std::pair(key, std::vector of elements); a
/// group is passed on when it is full. The groups that are left at the end of the epoch follow in the order of their
/// keys; `drop_remainder` drops them. `n` may be a function of the key. Memory: up to n elements for each key.
///   range(100) | group_by_window([](std::int64_t x) { return x % 10; }, 8)
/// tf.data: group_by_window, PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/core/wanted.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void group_by_window_wanted_and_given() {
  static_assert(ok,
                "plumbline: group_by_window(key, n) cannot call key with this stream's element, see Wanted and Given "
                "in this message; take the element by const reference");
}
template <class Key, bool ok> consteval void group_by_window_orders() {
  static_assert(ok,
                "plumbline: group_by_window(key, n): key must return something that can be copied and compared with "
                "<, see Key in this message; return a number or a string");
}

/// The size of the groups: a number, or a function of the key.
template <class Size, class Key> std::uint64_t window_size(const Size& n, const Key& key) {
  if constexpr (std::integral<Size>)
    return static_cast<std::uint64_t>(n);
  else
    return static_cast<std::uint64_t>(std::invoke(n, key));
}
}  // namespace detail

template <class F, class Size> struct group_by_window_op : op_base {
  static constexpr std::string_view name = "group_by_window";
  [[no_unique_address]] F key;
  [[no_unique_address]] Size n;
  remainder rest;
  auto held() const { return std::tie(key, n); }
  constexpr auto parameters() const {
    if constexpr (std::integral<Size>)
      return std::tuple(n, rest);
    else
      return std::tuple(rest);
  }

  template <class In> using key_of = std::remove_cvref_t<std::invoke_result_t<const F&, const In&>>;
  template <class In> using output = std::pair<key_of<In>, std::vector<In>>;
  template <class Up>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<const F&, const typename Up::element&>)
      return std::copyable<key_of<typename Up::element>> && std::totally_ordered<key_of<typename Up::element>>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, const In&>)
      detail::group_by_window_orders<key_of<In>, ok>();
    else
      detail::group_by_window_wanted_and_given<detail::wanted_by<F>, const In&, ok>();
  }

  static constexpr stream_facts rule(stream_facts in) {
    in.count = in.count.endless ? cardinality::unknown() : cardinality::at_most(in.count.most);
    return in;
  }

  template <class In> struct kernel {
    struct window {
      std::vector<In> held{};
      lineage first{};
      template <class Io> void state(Io& io) { io(held, first); }
    };
    const group_by_window_op* op;
    std::map<key_of<In>, window> open{};
    kernel(const group_by_window_op& of, const stream_context&) : op(&of) {}
    void push(In&& x, const lineage& at, auto&& emit) {
      auto own = std::invoke(op->key, std::as_const(x));
      const auto most = detail::window_size(op->n, own);
      if (most == 0) throw std::invalid_argument("a group of 0 would hold nothing; return at least 1 for each key");
      const auto here = open.try_emplace(std::move(own)).first;
      auto& [held, first] = here->second;
      if (held.empty()) first = at;
      held.push_back(std::move(x));
      if (held.size() < most) return;
      auto full = open.extract(here);
      emit(output<In>(std::move(full.key()), std::move(full.mapped().held)), full.mapped().first);
    }
    void finish(auto&& emit) {
      if (op->rest == remainder::keep)
        for (auto& [own, last] : open) emit(output<In>(own, std::move(last.held)), last.first);
      open.clear();
    }
    template <class Io> void state(Io& io) {
      std::vector<key_of<In>> keys;
      if constexpr (!Io::loads)
        for (const auto& [own, last] : open) keys.push_back(own);
      io(keys);
      if constexpr (Io::loads) open.clear();
      for (const auto& own : keys) io(open[own]);
    }
  };
};

template <class F, class Size>
  requires(!std::signed_integral<Size>)
constexpr auto group_by_window(F key, Size n, remainder rest = remainder::keep) {
  if constexpr (std::integral<Size>)
    if (n == 0) throw std::invalid_argument("plumbline: group_by_window(key, 0) would hold nothing; give at least 1");
  return group_by_window_op<F, Size>{{}, std::move(key), std::move(n), rest};
}
template <class F>
constexpr auto group_by_window(F key, std::signed_integral auto n, remainder rest = remainder::keep) {
  return group_by_window(std::move(key), detail::count_from("group_by_window", n, "give at least 1"), rest);
}

}  // namespace plumbline
