#pragma once
/// node and operator|: a pipeline is a type, `node<Op, Upstreams...>`; a source has no upstream, a join has several.
/// A pipe that an operator does not accept yields `ill_formed`, which swallows the rest: one mistake is one error.

#include <plumbline/core/facts.hpp>
#include <plumbline/core/ill_formed.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/size.hpp>

#include <algorithm>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline {

/// Every operator derives from this.
struct op_base {
  template <class Up> static constexpr bool accepts = true;
};
struct source_base {};    ///< every source
struct pipeline_base {};  ///< every pipeline

template <class T>
concept operation = std::derived_from<std::remove_cvref_t<T>, op_base>;
template <class T>
concept rejected = std::derived_from<std::remove_cvref_t<T>, ill_formed>;
/// A pipeline definition: something that `run` runs and `|` extends.
template <class T>
concept pipeline = std::derived_from<std::remove_cvref_t<T>, pipeline_base>;
/// Makes any of its elements by number: `size()`, `at(i) const`.
template <class S>
concept indexed_source = requires(const S& s, std::uint64_t i) {
  { s.size() } -> std::convertible_to<std::uint64_t>;
  s.at(i);
};
/// Gives its elements one after another: `open(epoch) const` returns a reader with `bool next(element&)` or
/// `std::optional<element> next()`.
template <class S>
concept serial_source = requires(const S& s, std::uint64_t epoch) {
  s.open(epoch);
};

namespace detail {

template <class Op, class... Ups> struct element_of {
  using type = typename Op::template output<typename Ups::element...>;
};
template <class Op> struct element_of<Op> { using type = typename Op::element; };

/// What a rule need not say: numbers still find the elements only where each is made of one, or numbers alone change.
template <class Op, class... In> constexpr stream_facts with_key(stream_facts out, In... in) {
  if (sizeof...(In) == 1 && !one_to_one<Op> && !index_kernel<Op> && !replays<Op>) out.indexed = false;
  out.keyed = out.indexed && sizeof...(In) < 2 && (in.keyed && ... && true) && !uses_position<Op> && !random<Op>;
  return out;
}
/// One that only makes an element of an element needs no rule: no fact changes.
template <class Op>
concept changes_nothing = one_to_one<Op> && !random<Op> && !blocking<Op>;
template <class Op>
concept rule_of_facts = requires(stream_facts in) {
  { Op::rule(in) } -> std::same_as<stream_facts>;
};
template <class Op>
concept rule_of_facts_and_size = requires(stream_facts in) {
  { Op::rule(in, decltype(Op::n)::known()) } -> std::same_as<stream_facts>;
};
template <class Op>
concept has_rule = changes_nothing<Op> || rule_of_facts<Op> || rule_of_facts_and_size<Op>;

/// The operator's rule on what its type knows, and on what the object holds. By convention its one size is called `n`.
template <class Op, class... In> constexpr stream_facts facts_known(In... in) {
  if constexpr (sizeof...(In) == 0)
    return with_key<Op>(Op::type_facts);
  else if constexpr (requires { Op::rule(in...); })
    return with_key<Op>(Op::rule(in...), in...);
  else if constexpr (rule_of_facts_and_size<Op>)
    return with_key<Op>(Op::rule(in..., decltype(Op::n)::known()), in...);
  else
    return with_key<Op>((in, ...), in...);
}
template <class Op, class... In> constexpr stream_facts facts_now(const Op& op, In... in) {
  if constexpr (sizeof...(In) == 0)
    return with_key<Op>(op.facts());
  else if constexpr (requires { op.rule_now(in...); })
    return with_key<Op>(op.rule_now(in...), in...);
  else if constexpr (requires { Op::rule(in...); })
    return with_key<Op>(Op::rule(in...), in...);
  else if constexpr (rule_of_facts_and_size<Op>)
    return with_key<Op>(Op::rule(in..., op.n.now()), in...);
  else
    return with_key<Op>((in, ...), in...);
}

template <class> inline constexpr bool no = false;

}  // namespace detail

template <class Op, class... Ups> struct node : pipeline_base {
  using op_type = Op;
  using element = typename detail::element_of<Op, Ups...>::type;

  [[no_unique_address]] Op op;
  [[no_unique_address]] std::tuple<Ups...> ups;

  constexpr explicit node(Op o, Ups... u) : op(std::move(o)), ups(std::move(u)...) {
    static_assert(sizeof...(Ups) != 1 || detail::has_rule<Op>,
                  "plumbline: the operator does not say what becomes of the stream's facts; give it static constexpr "
                  "stream_facts rule(stream_facts in), as ops/filter.hpp does, or rule(in, cardinality n) and a member "
                  "n, as ops/skip.hpp does");
  }

  /// What the type knows (see facts_of<P>).
  static constexpr stream_facts type_facts = detail::facts_known<Op>(Ups::type_facts...);

  /// What is known once run-time sizes are: never less than the type knows.
  constexpr stream_facts facts() const {
    return std::apply([&](const auto&... u) { return detail::facts_now(op, u.facts()...); }, ups);
  }

  constexpr const auto& up() const requires(sizeof...(Ups) == 1) { return std::get<0>(ups); }

  /// For `for (x : p)`, so that it is told in words.
  template <class P = node> detail::no_iterator begin() const {
    static_assert(detail::no<P>,
                  "plumbline: a pipeline is a definition and holds no elements; run it: for (auto& x : run(p))");
    return {};
  }
  detail::no_iterator end() const;
};

namespace detail {
/// How many random operators stand below: it numbers the next one. Inserting any other operator changes no draw.
template <class P> inline constexpr std::uint32_t random_below = 0;
template <class Op, class... Ups>
  requires(sizeof...(Ups) > 0)
inline constexpr std::uint32_t random_below<node<Op, Ups...>> =
    std::max({std::uint32_t{0}, (random_below<Ups> + (random<typename Ups::op_type> ? 1U : 0U))...});
/// How many sources, and how many operators (sources included), stand in this pipeline: they number both.
template <class P> inline constexpr std::uint32_t sources_in = 0;
template <class Op, class... Ups>
inline constexpr std::uint32_t sources_in<node<Op, Ups...>> = sizeof...(Ups) == 0
                                                                  ? 1U
                                                                  : (std::uint32_t{0} + ... + sources_in<Ups>);
template <class P> inline constexpr std::uint32_t operators_in = 0;
template <class Op, class... Ups>
inline constexpr std::uint32_t operators_in<node<Op, Ups...>> = (std::uint32_t{1} + ... + operators_in<Ups>);
}  // namespace detail

/// Makes a source (a struct derived from source_base) a pipeline.
template <std::derived_from<source_base> S> constexpr auto from(S source) { return node<S>(std::move(source)); }

namespace detail {
template <class Op, class Up>
concept has_kernel = element_kernel<Op, typename Up::element> || serial_kernel<Op, typename Up::element> ||
    in_place_kernel<Op, typename Up::element> || structural<Op, typename Up::element> ||
    nesting<Op, typename Up::element> || decouples<Op> ||(index_kernel<Op>&& Up::type_facts.indexed);
}  // namespace detail

/// upstream | operator. Viable for whatever stands on the other side, so that a mistake is told in words. An operator
/// whose `accepts<Up>` is false says why in `explain<Up>()`, in one static_assert.
template <class Left, class Right>
  requires(pipeline<Left> || rejected<Left> || operation<Left> || operation<Right>)
constexpr auto operator|(Left&& left, Right&& right) {
  using Up = std::remove_cvref_t<Left>;
  using Op = std::remove_cvref_t<Right>;
  if constexpr (rejected<Up> || rejected<Op>) {
    return ill_formed{};
  } else if constexpr (operation<Up>) {
    static_assert(
        detail::no<Up>,
        "plumbline: | has an operator to its left, not a stream; begin with a source, for example range(n) or "
        "elements(v)");
    return ill_formed{};
  } else if constexpr (!pipeline<Up>) {
    static_assert(detail::no<Up>,
                  "plumbline: | has no stream to its left; begin with a source, for example elements(v) or "
                  "from_range(r)");
    return ill_formed{};
  } else if constexpr (pipeline<Op>) {
    static_assert(detail::no<Op>,
                  "plumbline: | has a stream to its right, not an operator; join two streams with zip(a, b) or "
                  "concat(a, b)");
    return ill_formed{};
  } else if constexpr (!operation<Op>) {
    static_assert(detail::no<Op>, "plumbline: | has no operator to its right; give a function to map(f) or filter(f)");
    return ill_formed{};
  } else if constexpr (!requires { std::string_view(Op::name); }) {
    static_assert(detail::no<Op>,
                  "plumbline: the operator has no name; give it static constexpr std::string_view name");
    return ill_formed{};
  } else if constexpr (!Op::template accepts<Up>) {
    if constexpr (requires { Op::template explain<Up>(); })
      Op::template explain<Up>();
    else
      static_assert(detail::no<Op>, "plumbline: the operator does not accept this stream, and has no explain<Up>()");
    return ill_formed{};
  } else if constexpr (requires(Op op) { std::move(op).template resolve<Up>(); }) {
    // an operator that depends on its upstream's type becomes what it is now
    auto made = Op(std::forward<Right>(right)).template resolve<Up>();
    return node<decltype(made), Up>(std::move(made), std::forward<Left>(left));
  } else if constexpr (!requires { typename Op::template output<typename Up::element>; }) {
    static_assert(detail::no<Op>,
                  "plumbline: the operator does not say what it yields; give it template <class In> using output");
    return ill_formed{};
  } else if constexpr (!detail::has_kernel<Op, Up>) {
    static_assert(
        detail::no<Op>,
        "plumbline: the operator has no kernel for these elements: template <class In> void apply(const "
        "element_context&, In&&, auto&& emit) const, or template <class In> struct kernel; see core/kernel.hpp");
    return ill_formed{};
  } else {
    return node<Op, Up>(std::forward<Right>(right), std::forward<Left>(left));
  }
}

}  // namespace plumbline
