#pragma once
/// take_while(predicate): the elements before the first for which the predicate is false; the rest of the epoch is not
/// made. The predicate is called in order, so it may not be random; it is called as const, for each stream and epoch
/// anew.
///   range(100) | map([](std::int64_t x) { return x * x; }) | take_while([](std::int64_t x) { return x < 50; })
/// tf.data: take_while, PyTorch: itertools.takewhile, grain: -, mlx-data: -

#include <plumbline/core/callable.hpp>
#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void take_while_wanted_and_given() {
  static_assert(ok,
                "plumbline: take_while(f) cannot call f with this stream's element, see Wanted and Given in this "
                "message; take the element by const reference");
}
template <class Returned, bool ok> consteval void take_while_predicate_returns() {
  static_assert(ok, "plumbline: take_while(f): f must return bool, see Returned in this message; return a comparison");
}
}  // namespace detail

template <class F> struct take_while_op : op_base, nameable<take_while_op<F>> {
  static constexpr std::string_view name = "take_while";
  static constexpr bool cuts = true;
  [[no_unique_address]] F f;

  constexpr explicit take_while_op(F fn) : f(std::move(fn)) {}

  template <class In> using output = In;
  template <class Up>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<const F&, const typename Up::element&>)
      return std::same_as<std::remove_cvref_t<std::invoke_result_t<const F&, const typename Up::element&>>, bool>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, const In&>)
      detail::take_while_predicate_returns<std::invoke_result_t<const F&, const In&>, ok>();
    else
      detail::take_while_wanted_and_given<detail::wanted_by<F>, const In&, ok>();
  }
  std::string label() const { return label_with(name, function_name<F>()); }

  static constexpr stream_facts rule(stream_facts in) {
    in.count = in.count.endless ? cardinality::unknown() : cardinality::at_most(in.count.most);
    return in;
  }

  template <class In> struct kernel {
    const F* f;
    bool open = true;
    constexpr kernel(const take_while_op& op, const stream_context&) : f(&op.f) {}
    constexpr std::uint64_t demand() const { return open ? unbounded : 0; }
    template <class Io> void state(Io& io) { io(open); }
    constexpr void push(In&& x, const lineage& at, auto&& emit) {
      open = open && std::invoke(*f, std::as_const(x));
      if (open) emit(std::move(x), at);
    }
  };
};

template <class F> constexpr auto take_while(F predicate) { return take_while_op<F>(std::move(predicate)); }

}  // namespace plumbline
