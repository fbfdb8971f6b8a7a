#pragma once
/// unique(): each value once in an epoch, where it occurs first. unique(key): one element for each key. All values, or
/// keys, of the epoch are held in memory; they need std::hash and ==.
///   lines("words.txt") | unique()
///   lines("words.txt") | unique([](const std::string& s) { return s.substr(0, 3); })
/// tf.data: unique, PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/wanted.hpp>

#include <concepts>
#include <functional>
#include <tuple>
#include <unordered_set>

namespace plumbline {

namespace detail {
template <class T>
concept hashable = requires(const T& x) {
  { std::hash<T>{}(x) } -> std::convertible_to<std::size_t>;
  { x == x } -> std::convertible_to<bool>;
};
/// The compiler's message shows the template arguments of this function.
template <class Key, bool ok> consteval void unique_compares() {
  static_assert(ok,
                "plumbline: unique() needs values with std::hash and ==, see Key in this message; give it a key: "
                "unique(&sample::name)");
}
template <class Wanted, class Given, bool ok> consteval void unique_wanted_and_given() {
  static_assert(ok,
                "plumbline: unique(f) cannot call f with this stream's element, see Wanted and Given in this message; "
                "take the element by const reference");
}
}  // namespace detail

template <class F> struct unique_op : op_base {
  static constexpr std::string_view name = "unique";
  static constexpr bool cuts = true;
  [[no_unique_address]] F key;
  auto held() const { return std::tie(key); }

  template <class In> using output = In;
  template <class In> using key_of = std::remove_cvref_t<std::invoke_result_t<const F&, const In&>>;
  template <class Up>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<const F&, const typename Up::element&>)
      return detail::hashable<key_of<typename Up::element>> && std::copy_constructible<key_of<typename Up::element>>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, const In&>)
      detail::unique_compares<key_of<In>, ok>();
    else
      detail::unique_wanted_and_given<detail::wanted_by<F>, const In&, ok>();
  }

  static constexpr stream_facts rule(stream_facts in) {
    in.count = in.count.endless ? cardinality::unknown()
                                : cardinality{in.count.least != 0 ? std::uint64_t{1} : 0, in.count.most, false};
    return in;
  }

  template <class In> struct kernel {
    const unique_op* op;
    std::unordered_set<key_of<In>> seen{};
    kernel(const unique_op& of, const stream_context&) : op(&of) {}
    /// Copies all keys. How often is limited by the time that it takes (exec/marker.hpp).
    template <class Io> void state(Io& io) { io(seen); }
    void push(In&& x, const lineage& at, auto&& emit) {
      if (seen.insert(std::invoke(op->key, std::as_const(x))).second) emit(std::move(x), at);
    }
  };
};

template <class F = std::identity> constexpr auto unique(F key = {}) { return unique_op<F>{{}, std::move(key)}; }

}  // namespace plumbline
