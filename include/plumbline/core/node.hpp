#pragma once
/// node: a pipeline as a type, `node<Op, Upstreams...>`; a source has no upstream, a join has several. The numbers of
/// operators, sources and random operators follow from the type.

#include <plumbline/core/operation.hpp>
#include <plumbline/core/pack.hpp>
#include <plumbline/core/rule.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

namespace plumbline {

template <class Op, class... Ups> struct node : pipeline_base {
  using op_type = Op;
  using element = typename detail::element_of<Op, Ups...>::type;

  [[no_unique_address]] Op op;
  [[no_unique_address]] detail::pack<Ups...> ups;

  constexpr explicit node(Op o, Ups... u) : op(std::move(o)), ups(detail::make_pack(std::move(u)...)) {}

  /// What the type knows (see facts_of<P>).
  static constexpr stream_facts type_facts = detail::facts_known<Op, Ups...>(Ups::type_facts...);

  /// What is known once run-time sizes are known: never less than the type knows.
  constexpr stream_facts facts() const {
    return ups.apply([&](const auto&... u) { return detail::facts_now<Op, Ups...>(op, u.facts()...); });
  }

  constexpr const auto& up() const requires(sizeof...(Ups) == 1) { return detail::at<0>(ups); }

  /// Makes `for (x : p)` one error that says what to write instead.
  template <class P = node> detail::no_iterator begin() const {
    static_assert(detail::no<P>,
                  "plumbline: a pipeline is a definition and holds no elements; run it: for (auto& x : run(p))");
    return {};
  }
  detail::no_iterator end() const;
};

namespace detail {
/// True if the operator at the end of the pipeline P draws random numbers.
template <class P> inline constexpr bool is_random = false;
template <class Op, class Up> inline constexpr bool is_random<node<Op, Up>> = random<Op, typename Up::element>;
/// How many random operators are upstream of P's last operator: its number, if it is random. So inserting an operator
/// that is not random changes no draw.
template <class P> inline constexpr std::uint32_t random_below = 0;
template <class Op, class... Ups>
  requires(sizeof...(Ups) > 0)
inline constexpr std::uint32_t random_below<node<Op, Ups...>> =
    std::max({std::uint32_t{0}, (random_below<Ups> + (is_random<Ups> ? 1U : 0U))...});
/// The number of sources in the pipeline and, below, of operators (including sources). Both are numbered by these.
template <class P> inline constexpr std::uint32_t sources_in = 0;
template <class Op, class... Ups>
inline constexpr std::uint32_t sources_in<node<Op, Ups...>> = sizeof...(Ups) == 0
                                                                  ? 1U
                                                                  : (std::uint32_t{0} + ... + sources_in<Ups>);
template <class P> inline constexpr std::uint32_t operators_in = 0;
template <class Op, class... Ups>
inline constexpr std::uint32_t operators_in<node<Op, Ups...>> = (std::uint32_t{1} + ... + operators_in<Ups>);
/// True if an operator of P keeps elements in files.
template <class P> inline constexpr bool persists_in = false;
template <class Op, class... Ups>
inline constexpr bool persists_in<node<Op, Ups...>> = persists<Op> || (persists_in<Ups> || ...);
}  // namespace detail

/// Makes a source (a struct derived from source_base) a pipeline.
template <std::derived_from<source_base> S> constexpr auto from(S source) { return node<S>(std::move(source)); }

}  // namespace plumbline
