#pragma once
/// node and operator|: a pipeline is a type, `node<Op, Upstreams...>`; a source has no upstream, a join has several.
/// Operators alone are piped together as well: a composition is a pipeline without its source, `train | augment` the
/// same type as the chain written out. A pipe that an operator does not accept yields `ill_formed`, which swallows the
/// rest: one mistake is one error.

#include <plumbline/core/facts.hpp>
#include <plumbline/core/ill_formed.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/kernel_check.hpp>
#include <plumbline/core/size.hpp>

#include <algorithm>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline {

namespace detail {
template <class> inline constexpr bool no = false;
}  // namespace detail

/// Every operator derives from this.
struct op_base {
  template <class Up> static constexpr bool accepts = true;

  /// For `for (x : op)`: one error that says what to write.
  template <class Op = op_base> detail::no_iterator begin() const {
    static_assert(detail::no<Op>,
                  "plumbline: an operator holds no elements; put it behind a source and run that: "
                  "for (auto& x : run(elements(v) | op))");
    return {};
  }
  detail::no_iterator end() const;
};
struct source_base {};    ///< every source
struct pipeline_base {};  ///< every pipeline

template <class T>
concept operation = std::derived_from<std::remove_cvref_t<T>, op_base>;
/// Operators without a source: `auto augment = map(crop) | map(flip);`
template <operation... Ops> struct composition : op_base {
  [[no_unique_address]] std::tuple<Ops...> ops;
  constexpr explicit composition(Ops... o) : ops(std::move(o)...) {}
};
template <class T>
concept rejected = std::derived_from<std::remove_cvref_t<T>, ill_formed>;
/// A pipeline definition: something that `run` runs and `|` extends.
template <class T>
concept pipeline = std::derived_from<std::remove_cvref_t<T>, pipeline_base>;
/// Makes any of its elements by number: `size()`, `at(i) const`. Any other source gives them one after another:
/// `open(epoch) const` returns a reader with `bool next(element&)` or `std::optional<element> next()`.
template <class S>
concept indexed_source = requires(const S& s, std::uint64_t i) {
  { s.size() } -> std::convertible_to<std::uint64_t>;
  s.at(i);
};

namespace detail {

/// What the operator yields: what it states as `output`, else what its element kernel makes.
template <class Op, class... In> struct output_of {};
template <class Op, class... In>
  requires requires { typename Op::template output<In...>; }
struct output_of<Op, In...> {
  using type = typename Op::template output<In...>;
};
template <class Op, class In>
  requires(!requires { typename Op::template output<In>; } && kernel_traits<Op, In>::makes == arity::one)
struct output_of<Op, In> {
  using type = std::remove_cvref_t<transformed<Op, In>>;
};
template <class Op, class In>
  requires(!requires { typename Op::template output<In>; } && kernel_traits<Op, In>::makes == arity::maybe)
struct output_of<Op, In> {
  using type = In;
};

template <class Op, class... Ups> struct element_of : output_of<Op, typename Ups::element...> {};
template <class Op> struct element_of<Op> { using type = typename Op::element; };

/// What a rule need not say, as it follows from the kernel. `in`: the facts of its upstreams.
template <class Op, class... Ups> constexpr stream_facts with_kernel(stream_facts out, auto... in) {
  constexpr bool of_many = sizeof...(Ups) == 1 && makes_by_number<Op, typename Ups::element...>;
  if constexpr (sizeof...(Ups) == 1) {
    if ((random<Op, typename Ups::element> && ...)) out.draws = randomness::seeded;
    if (blocking<Op>) out.blocking = true;
    // numbers find the elements only where each is made of one, or of several that need not be read from storage, or
    // where numbers alone change
    if (of_many)
      out.indexed = out.indexed && !out.blocking;
    else if (!((kernel_traits<Op, typename Ups::element>::makes == arity::one) && ...) && !index_kernel<Op> &&
             !replays<Op>)
      out.indexed = false;
  }
  out.keyed = out.indexed && !of_many && sizeof...(Ups) < 2 && (in.keyed && ... && true) &&
              !uses_position<Op, typename Ups::element...> && !random<Op, typename Ups::element...>;
  return out;
}
/// Has the operator an element kernel and no rule of its own?
template <class Op, class... Ups> inline constexpr bool kernel_rules = false;
template <class Op, class Up>
  requires(element_kernel<Op, typename Up::element> && !requires { &Op::rule; })
inline constexpr bool kernel_rules<Op, Up> = true;
/// What an element kernel does to count and order.
template <class Op, class Up> constexpr stream_facts rule_of_kernel(stream_facts in) {
  constexpr arity makes = kernel_traits<Op, typename Up::element>::makes;
  if (makes == arity::maybe && !in.count.endless) in.count.least = 0;
  if (makes == arity::many)
    in.count = in.count.endless ? cardinality::unknown() : times(in.count, cardinality::unknown());
  return in;
}

/// The members that an operator's rule takes: pointers to them, none where it has no `sizes`.
template <class Op> constexpr auto sizes_of() {
  if constexpr (requires { Op::sizes; })
    return Op::sizes;
  else
    return std::tuple();
}
template <class Op, class Sizes> inline constexpr bool rule_takes = false;
template <class Op, class... Size>
  requires requires(stream_facts in, const Op& op, Size... size) {
    { Op::rule(in, (op.*size).known()...) } -> std::same_as<stream_facts>;
    { Op::rule(in, (op.*size).now()...) } -> std::same_as<stream_facts>;
  }
inline constexpr bool rule_takes<Op, std::tuple<Size...>> = true;
template <class Op, class Up>
concept has_rule = kernel_rules<Op, Up> || rule_takes<Op, decltype(sizes_of<Op>())>;

/// The operator's rule on what its type knows, and on what the object holds.
template <class Op, class... Ups> constexpr stream_facts facts_known(auto... in) {
  if constexpr (sizeof...(Ups) == 0)
    return with_kernel<Op>(Op::type_facts);
  else if constexpr (kernel_rules<Op, Ups...>)
    return with_kernel<Op, Ups...>(rule_of_kernel<Op, Ups...>(in...), in...);
  else
    return with_kernel<Op, Ups...>(
        std::apply(
            [&](auto... size) {
              return Op::rule(in..., std::remove_cvref_t<decltype(std::declval<const Op&>().*size)>::known()...);
            },
            sizes_of<Op>()),
        in...);
}
template <class Op, class... Ups> constexpr stream_facts facts_now(const Op& op, auto... in) {
  if constexpr (sizeof...(Ups) == 0)
    return with_kernel<Op>(op.facts());
  else if constexpr (kernel_rules<Op, Ups...>)
    return with_kernel<Op, Ups...>(rule_of_kernel<Op, Ups...>(in...), in...);
  else
    return with_kernel<Op, Ups...>(
        std::apply([&](auto... size) { return Op::rule(in..., (op.*size).now()...); }, sizes_of<Op>()), in...);
}

}  // namespace detail

template <class Op, class... Ups> struct node : pipeline_base {
  using op_type = Op;
  using element = typename detail::element_of<Op, Ups...>::type;

  [[no_unique_address]] Op op;
  [[no_unique_address]] std::tuple<Ups...> ups;

  constexpr explicit node(Op o, Ups... u) : op(std::move(o)), ups(std::move(u)...) {}

  /// What the type knows (see facts_of<P>).
  static constexpr stream_facts type_facts = detail::facts_known<Op, Ups...>(Ups::type_facts...);

  /// What is known once run-time sizes are: never less than the type knows.
  constexpr stream_facts facts() const {
    return std::apply([&](const auto&... u) { return detail::facts_now<Op, Ups...>(op, u.facts()...); }, ups);
  }

  constexpr const auto& up() const requires(sizeof...(Ups) == 1) { return std::get<0>(ups); }

  /// For `for (x : p)`: one error that says what to write.
  template <class P = node> detail::no_iterator begin() const {
    static_assert(detail::no<P>,
                  "plumbline: a pipeline is a definition and holds no elements; run it: for (auto& x : run(p))");
    return {};
  }
  detail::no_iterator end() const;
};

namespace detail {
/// Does the operator at the end of the pipeline P draw?
template <class P> inline constexpr bool is_random = false;
template <class Op, class Up> inline constexpr bool is_random<node<Op, Up>> = random<Op, typename Up::element>;
/// How many random operators stand below: it numbers the next one. Inserting any other operator changes no draw.
template <class P> inline constexpr std::uint32_t random_below = 0;
template <class Op, class... Ups>
  requires(sizeof...(Ups) > 0)
inline constexpr std::uint32_t random_below<node<Op, Ups...>> =
    std::max({std::uint32_t{0}, (random_below<Ups> + (is_random<Ups> ? 1U : 0U))...});
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

/// Does the operator depend on its upstream's type?
template <class Op, class Up>
concept resolves = requires(Op op) {
  std::move(op).template resolve<Up>();
};
/// What the operator is behind Up: one that depends on its upstream's type becomes what it is there.
template <class Up, class Op> constexpr auto resolved(Op op) {
  if constexpr (resolves<Op, Up>)
    return std::move(op).template resolve<Up>();
  else
    return op;
}
template <class Up, class Op> using resolved_as = decltype(resolved<Up>(std::declval<Op>()));

template <class Op>
concept has_name = requires {
  std::string_view(Op::name);
};
template <class Op, class Up>
concept has_output = requires {
  typename element_of<Op, Up>::type;
};
/// Is `up | op` a pipeline?
template <class Up, class Op>
concept joins = pipeline<Up> && operation<Op> && has_name<Op> && Op::template accepts<Up> &&
                (resolves<Op, Up> || (kernel_fits<Op, typename Up::element> && has_output<Op, Up> &&
                                      has_kernel<Op, Up> && has_rule<Op, Up>));

/// Where an operator stands that does not join: read in the compiler's message.
struct alone;
template <std::size_t Number> struct in_composition;  ///< from 1

struct no_mistake {
  static constexpr bool found = false;
};
/// What is wrong with `up | op`.
template <class Where, class Op, class Up> struct mistake {
  using where = Where;
  using op = Op;
  using up = Up;
  static constexpr bool found = true;
  /// Then explain_kernel() says what.
  static constexpr bool in_kernel = [] {
    if constexpr (operation<Op> && pipeline<Up>)
      return Op::template accepts<Up> && has_name<Op> && !kernel_fits<Op, typename Up::element>;
    else
      return false;
  }();
  static consteval void explain() {
    if constexpr (pipeline<Op>)
      static_assert(no<Op>,
                    "plumbline: | has a stream to its right, not an operator; join two streams with zip(a, b) or "
                    "concat(a, b)");
    else if constexpr (!operation<Op>)
      static_assert(no<Op>, "plumbline: | has no operator to its right; give a function to map(f) or filter(f)");
    else if constexpr (!pipeline<Up>)
      static_assert(no<Up>,
                    "plumbline: | has no stream to its left; begin with a source, for example elements(v) or "
                    "from_range(r)");
    else if constexpr (!has_name<Op>)
      static_assert(no<Op>, "plumbline: the operator has no name; give it static constexpr std::string_view name");
    else if constexpr (!Op::template accepts<Up> && requires { Op::template explain<Up>(); })
      Op::template explain<Up>();
    else if constexpr (!Op::template accepts<Up>)
      static_assert(no<Op>, "plumbline: the operator does not accept this stream, and has no explain<Up>()");
    else if constexpr (!has_output<Op, Up>)
      static_assert(no<Op>,
                    "plumbline: the operator does not say what it yields; give it template <class In> using output");
    else if constexpr (!has_kernel<Op, Up>)
      static_assert(no<Op>,
                    "plumbline: the operator has no kernel; give it transform, keep or expand, or template <class In> "
                    "struct kernel; see core/kernel.hpp");
    else
      static_assert(
          no<Op>,
          "plumbline: the operator has no rule that takes its stream's facts and its sizes, so what becomes of "
          "count and order is unknown; give it static constexpr stream_facts rule(stream_facts in), as "
          "ops/shuffle_buffer.hpp does, with "
          "a cardinality more for each of its sizes, as ops/skip.hpp does");
  }
};
template <std::size_t Number, class Up, class... Ops> struct first_mistake : no_mistake {};
template <std::size_t Number, class Up, class Op, class... Ops>
struct first_mistake<Number, Up, Op, Ops...> : mistake<in_composition<Number>, Op, Up> {};
template <std::size_t Number, class Up, class Op, class... Ops>
  requires joins<Up, Op>
struct first_mistake<Number, Up, Op, Ops...> : first_mistake<Number + 1, node<resolved_as<Up, Op>, Up>, Ops...> {
};

/// What is wrong with `up | op`, of a composition with its first operator that does not join.
template <class Up, class Op> struct pipe : std::conditional_t<joins<Up, Op>, no_mistake, mistake<alone, Op, Up>> {};
template <class Up, class... Ops> struct pipe<Up, composition<Ops...>> : first_mistake<1, Up, Ops...> {};

template <class Op> inline constexpr bool is_composition = false;
template <class... Ops> inline constexpr bool is_composition<composition<Ops...>> = true;
template <class Op> constexpr auto operators_of(Op op) {
  if constexpr (is_composition<Op>)
    return std::move(op.ops);
  else
    return std::tuple<Op>(std::move(op));
}
}  // namespace detail

/// upstream | operator, and operator | operator. Viable for any type on the other side, so that a mistake is one
/// readable error. An operator whose `accepts<Up>` is false says why in `explain<Up>()`, in one static_assert.
template <class Left, class Right>
  requires(pipeline<Left> || rejected<Left> || operation<Left> || operation<Right>)
constexpr auto operator|(Left&& left, Right&& right) {
  using Up = std::remove_cvref_t<Left>;
  using Op = std::remove_cvref_t<Right>;
  constexpr bool composes = operation<Up> && operation<Op>;
  if constexpr (rejected<Up> || rejected<Op>) {
    return ill_formed{};
  } else if constexpr (!composes && detail::pipe<Up, Op>::found) {
    using wrong = detail::pipe<Up, Op>;
    if constexpr (wrong::in_kernel)
      detail::explain_kernel<typename wrong::op, typename wrong::up, typename wrong::where>();
    else
      wrong::explain();
    return ill_formed{};
  } else if constexpr (!std::constructible_from<Up, Left> || !std::constructible_from<Op, Right>) {
    static_assert(detail::no<Op>,
                  "plumbline: | copies what has a name, and a function or source in it cannot be copied (a lambda that "
                  "holds a unique_ptr?); hand it over with std::move, or hold it in shared_ptr");
    return ill_formed{};
  } else if constexpr (composes) {
    return std::apply([](auto&&... op) { return composition(std::move(op)...); },
                      std::tuple_cat(detail::operators_of<Up>(std::forward<Left>(left)),
                                     detail::operators_of<Op>(std::forward<Right>(right))));
  } else if constexpr (detail::is_composition<Op>) {
    return std::apply([&](auto&&... op) { return (std::forward<Left>(left) | ... | std::move(op)); },
                      detail::operators_of<Op>(std::forward<Right>(right)));
  } else {
    if constexpr (!detail::resolves<Op, Up>) detail::explain_kernel<Op, Up, detail::alone>();  // of expand(): its emits
    auto op = detail::resolved<Up>(Op(std::forward<Right>(right)));
    return node<decltype(op), Up>(std::move(op), std::forward<Left>(left));
  }
}

}  // namespace plumbline
