#pragma once
/// evaluate(p): the elements of one epoch of the pipeline p as a std::vector, computed in the calling thread without an
/// executor. It also works in constant expressions, so the compiler can test a pipeline's logic:
///   constexpr auto square = [](std::int64_t x) { return x * x; };
///   static_assert(evaluate(range<5>() | map(square) | skip(2)) == std::vector<std::int64_t>{4, 9, 16});
///   static_assert([] {  // g++ 12 accepts nested braces only in a function
///     return evaluate(range<5>() | map(square) | batch<2>()) == std::vector<std::vector<std::int64_t>>{{0, 1}, {4, 9},
///     {16}};
///   }());
/// The elements are those of run(p) with the same seed and epoch, but a batch is a std::vector of its elements, as
/// constant expressions have no tensors; so nothing that reads batches may follow `batch`.
///
/// In constant expressions: range, generate, elements (of a small std::array), map, filter, flat_map (of ranges),
/// enumerate, take, skip, take_while, scan, shard, shuffle(seed), repeat, zip and concat of indexed streams, group,
/// batch, cache, prefetch, with functions that are constexpr; at run time every operator but interleave and flat_map of
/// streams. Memory: all elements. An exception of a function is thrown as it is.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/form.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

/// What numbers a pipeline's operators and draws: the seed, and how many operators and sources come before it.
struct plain_numbers {
  std::uint64_t seed = 0;
  std::uint32_t operators = 0, sources = 0;
};
/// The numbers for upstream I of the operator at the end of node<Op, Ups...>.
template <std::size_t I, class... Ups> constexpr plain_numbers numbers_of(plain_numbers before) {
  std::size_t i = 0;
  ((i++ < I ? void((before.operators += operators_in<Ups>, before.sources += sources_in<Ups>)) : void()), ...);
  return before;
}
template <class P> constexpr stream_context plain_context(plain_numbers before) {
  return {before.seed, 0, before.operators + operators_in<P>, random_below<P>};
}

/// The operator's element kernel applied to x.
template <class P, class In, class Sink>
constexpr void apply_plainly(const P& p, In&& x, const lineage& at, std::uint64_t position, std::uint64_t seed,
                             Sink& sink) {
  using traits = kernel_traits<typename P::op_type, In>;
  const auto context = [&] {
    using cx = typename traits::context;
    if constexpr (std::same_as<cx, random_context>)
      return cx{{{}, at}, hash_combine(seed, random_below<P>)};
    else if constexpr (std::same_as<cx, position_context>)
      return cx{{}, position, 0};
    else if constexpr (std::same_as<cx, element_context>)
      return cx{{}, at};
    else
      return cx{};
  }();
  if constexpr (traits::makes == arity::one) {
    sink(p.op.transform(context, std::move(x)), at);
  } else if constexpr (traits::makes == arity::maybe) {
    if (p.op.keep(context, x)) sink(std::move(x), at);
  } else {
    std::uint64_t part = 0;
    p.op.expand(context, std::move(x), [&](typename output_of<typename P::op_type, In>::type y) {
      sink(std::move(y), at.part(part++));
      return true;
    });
  }
}

/// The view of an operator that makes elements by index; batch states one for constant expressions.
template <class Op, class... Views> struct view_for { using type = typename Op::template view<Views...>; };
template <class Op, class View>
  requires requires { typename Op::template plain_view<View>; }
struct view_for<Op, View> {
  using type = typename Op::template plain_view<View>;
};

/// The elements of the indexed pipeline P by index.
template <class P> struct plain_view;
template <class P> inline constexpr bool has_plain_view = false;
template <class Op> inline constexpr bool has_plain_view<node<Op>> = indexed_source<Op>;
template <class Op, class... Ups>
  requires(sizeof...(Ups) > 0)
inline constexpr bool has_plain_view<node<Op, Ups...>> =
    node<Op, Ups...>::type_facts.indexed && (has_plain_view<Ups> && ...);
/// It makes its elements by index from its upstreams'. One with one upstream is cheaper to read in order, so that is
/// done only where an operator downstream requires them by index.
template <class P> inline constexpr bool combines = false;
template <class Op, class... Ups>
inline constexpr bool combines<node<Op, Ups...>> = makes_by_number<Op, typename Ups::element...>;

template <class Op> struct plain_view<node<Op>> {
  using element = typename Op::element;
  const node<Op>* p;
  plain_numbers numbers;
  constexpr plain_view(const node<Op>& of, plain_numbers before) : p(&of), numbers(before) {}
  constexpr std::uint64_t size() const { return p->op.size(); }
  template <class Sink> constexpr void get(element_index i, Sink&& sink) const {
    sink(element(p->op.at(i.index)), lineage{i.index, 0, i.epoch, numbers.sources});
  }
};
template <class Op, class... Ups>
  requires combines<node<Op, Ups...>>
struct plain_view<node<Op, Ups...>> : view_for<Op, plain_view<Ups>...>::type {
  using base = typename view_for<Op, plain_view<Ups>...>::type;
  constexpr plain_view(const node<Op, Ups...>& p, plain_numbers before)
      : plain_view(p, before, std::index_sequence_for<Ups...>()) {}

 private:
  template <std::size_t... I>
  constexpr plain_view(const node<Op, Ups...>& p, plain_numbers before, std::index_sequence<I...>)
      : base(p.op, plain_context<node<Op, Ups...>>(before),
             plain_view<Ups>(std::get<I>(p.ups), numbers_of<I, Ups...>(before))...) {}
};
template <class Op, class Up>
  requires(!combines<node<Op, Up>>)
struct plain_view<node<Op, Up>> {
  using P = node<Op, Up>;
  static constexpr form how = form_of<P>;
  using below = typename plain_view<Up>::element;
  static constexpr auto made() {
    if constexpr (how == form::element)
      return std::type_identity<typename output_of<Op, below>::type>{};
    else
      return std::type_identity<below>{};
  }
  using element = typename decltype(made())::type;
  const P* p;
  plain_numbers numbers;
  plain_view<Up> up;

  constexpr plain_view(const P& of, plain_numbers before) : p(&of), numbers(before), up(of.up(), before) {}
  constexpr std::uint64_t size() const {
    if constexpr (how == form::renumber)
      return p->op.mapped_size(up.size());
    else
      return up.size();
  }
  template <class Sink> constexpr void get(element_index i, Sink&& sink) const {
    if constexpr (how == form::renumber)
      up.get(p->op.map_index(i, up.size()), sink);
    else if constexpr (how == form::element)
      up.get(i, [&](auto&& x, const lineage& at) { apply_plainly(*p, std::move(x), at, i.index, numbers.seed, sink); });
    else
      up.get(i, sink);
  }
};

/// The elements of the pipeline P in order: begin(epoch), pump(sink, budget), leave(), as any cursor (core/kernel.hpp).
template <class P> struct plain_cursor;

/// The serial kernel and its output; batch states one for constant expressions.
template <class Op, class In> struct kernel_for {
  using type = typename Op::template kernel<In>;
  using output = typename output_of<Op, In>::type;
};
template <class Op, class In>
  requires requires { typename Op::template plain_kernel<In>; }
struct kernel_for<Op, In> {
  using type = typename Op::template plain_kernel<In>;
  using output = typename Op::template plain_output<In>;
};

enum class plain_form : unsigned char { view, source, same, element, serial, structure };
template <class Op, class... Ups> consteval plain_form plain_form_of(std::type_identity<node<Op, Ups...>>) {
  using P = node<Op, Ups...>;
  constexpr form how = form_of<P>;
  if constexpr (has_plain_view<P> && (sizeof...(Ups) != 1 || !combines<P>))
    return plain_form::view;
  else if constexpr (sizeof...(Ups) == 0)
    return plain_form::source;
  else if constexpr (how == form::async_boundary || replays<Op>)
    return plain_form::same;
  else if constexpr (how == form::element)
    return plain_form::element;
  else if constexpr (sizeof...(Ups) == 1 && (serial_kernel<Op, typename Ups::element> && ...))
    return plain_form::serial;
  else
    return plain_form::structure;
}
template <class P> inline constexpr plain_form plain_form_for = plain_form_of(std::type_identity<P>{});

template <class P>
  requires(plain_form_for<P> == plain_form::view)
struct plain_cursor<P> {
  using element = typename plain_view<P>::element;
  static constexpr cursor_traits traits{.within_budget = true};
  plain_view<P> view;
  std::uint64_t epoch = 0, next = 0, count = 0;
  constexpr plain_cursor(const P& p, plain_numbers before) : view(p, before) {}
  constexpr void begin(std::uint64_t e) { epoch = e, next = 0, count = view.size(); }
  template <class Sink> constexpr pump_result pump(Sink&& sink, std::size_t budget) {
    for (; next != count && budget != 0; --budget) view.get({next++, epoch}, sink);
    return next == count ? pump_result::ended : pump_result::more;
  }
  constexpr void leave() {}
};

template <class Op>
  requires(plain_form_for<node<Op>> == plain_form::source)
struct plain_cursor<node<Op>> {
  using element = typename Op::element;
  using reader = decltype(std::declval<const Op&>().open(std::uint64_t{}));
  static constexpr cursor_traits traits{.within_budget = true};
  const Op* source;
  lineage at;
  std::optional<reader> open{};
  constexpr plain_cursor(const node<Op>& p, plain_numbers before) : source(&p.op), at{0, 0, 0, before.sources} {}
  constexpr void begin(std::uint64_t epoch) {
    at.index = 0, at.epoch = epoch;
    open.reset();
    open.emplace(source->open(epoch));
  }
  template <class Sink> constexpr pump_result pump(Sink&& sink, std::size_t budget) {
    for (; budget != 0; --budget, ++at.index)
      if constexpr (requires(reader & r) { *r.next(); }) {
        auto x = open->next();
        if (!x) return pump_result::ended;
        sink(std::move(*x), at);
      } else {
        element x{};
        if (!open->next(x)) return pump_result::ended;
        sink(std::move(x), at);
      }
    return pump_result::more;
  }
  constexpr void leave() { open.reset(); }
};

template <class Op, class Up>
  requires(plain_form_for<node<Op, Up>> == plain_form::same)
struct plain_cursor<node<Op, Up>> : plain_cursor<Up> {
  constexpr plain_cursor(const node<Op, Up>& p, plain_numbers before) : plain_cursor<Up>(p.up(), before) {}
};

template <class Op, class Up>
  requires(plain_form_for<node<Op, Up>> == plain_form::element)
struct plain_cursor<node<Op, Up>> {
  using P = node<Op, Up>;
  using element = typename output_of<Op, typename plain_cursor<Up>::element>::type;
  static constexpr cursor_traits traits{};
  const P* p;
  std::uint64_t seed, position = 0;
  plain_cursor<Up> up;
  constexpr plain_cursor(const P& of, plain_numbers before) : p(&of), seed(before.seed), up(of.up(), before) {}
  constexpr void begin(std::uint64_t epoch) {
    position = 0;
    up.begin(epoch);
  }
  template <class Sink> constexpr pump_result pump(Sink&& sink, std::size_t budget) {
    return up.pump([&](auto&& x, const lineage& at) { apply_plainly(*p, std::move(x), at, position++, seed, sink); },
                   budget);
  }
  constexpr void leave() { up.leave(); }
};

template <class Op, class Up>
  requires(plain_form_for<node<Op, Up>> == plain_form::serial)
struct plain_cursor<node<Op, Up>> {
  using In = typename plain_cursor<Up>::element;
  using kernel = typename kernel_for<Op, In>::type;
  using element = typename kernel_for<Op, In>::output;
  static constexpr cursor_traits traits{};
  const Op* op;
  stream_context context;
  plain_cursor<Up> up;
  std::optional<kernel> state{};
  bool over = false;
  constexpr plain_cursor(const node<Op, Up>& p, plain_numbers before)
      : op(&p.op), context(plain_context<node<Op, Up>>(before)), up(p.up(), before) {}
  constexpr void begin(std::uint64_t epoch) {
    context.epoch = epoch;
    state.reset();
    state.emplace(*op, context);
    up.begin(epoch);
  }
  template <class Sink> constexpr pump_result pump(Sink&& sink, std::size_t budget) {
    // one element at a time, as the kernel may have enough after any of them
    for (; budget != 0; --budget) {
      auto p = pump_result::ended;
      if (!enough())
        p = up.pump([&](auto&& x, const lineage& at) { push(std::move(x), at, sink); }, 1);
      else
        up.leave();
      if (p == pump_result::ended) {
        if constexpr (requires { state->finish(sink); }) state->finish(sink);
        state.reset();
        return p;
      }
    }
    return pump_result::more;
  }
  constexpr void leave() { state.reset(), up.leave(); }

 private:
  constexpr bool enough() const {
    if constexpr (requires { state->demand(); })
      return state->demand() == 0;
    else
      return false;
  }
  template <class Sink> constexpr void push(In x, const lineage& at, Sink& sink) {
    if (!enough()) state->push(std::move(x), at, sink);
  }
};

template <class Op, class... Ups> struct structure_for {
  using type = typename Op::template cursor<plain_cursor<Ups>...>;
};
template <class Op, class... Ups>
  requires(plain_form_for<node<Op, Ups...>> == plain_form::structure)
struct plain_cursor<node<Op, Ups...>> : structure_for<Op, Ups...>::type {
  using base = typename structure_for<Op, Ups...>::type;
  constexpr plain_cursor(const node<Op, Ups...>& p, plain_numbers before)
      : plain_cursor(p, before, std::index_sequence_for<Ups...>()) {}

 private:
  template <std::size_t... I>
  constexpr plain_cursor(const node<Op, Ups...>& p, plain_numbers before, std::index_sequence<I...>)
      : base(p.op, plain_context<node<Op, Ups...>>(before),
             plain_cursor<Ups>(std::get<I>(p.ups), numbers_of<I, Ups...>(before))...) {}
};

}  // namespace detail

/// All elements of one epoch. `seed`: as run_options::seed.
template <class P> constexpr auto evaluate(const P& p, std::uint64_t seed = 0, std::uint64_t epoch = 0) {
  static_assert(pipeline<P> || rejected<P>,
                "plumbline: evaluate got something that is not a pipeline; begin with a source, for example range(8)");
  if constexpr (rejected<P>) {
    return std::vector<typename P::element>();
  } else if constexpr (pipeline<P>) {
    constexpr bool ends = !P::type_facts.count.endless;
    static_assert(ends, "plumbline: evaluate makes all elements, and this pipeline is endless; put take(n) at its end");
    if constexpr (ends) {
      detail::plain_cursor<P> all(p, {seed});
      std::vector<typename detail::plain_cursor<P>::element> out;
      all.begin(epoch);
      while (all.pump([&](auto&& x, const lineage&) { out.push_back(std::forward<decltype(x)>(x)); }, 1024) !=
             pump_result::ended) {
      }
      return out;
    }
  }
}

}  // namespace plumbline
