#pragma once
/// plain_cursor: the elements of a pipeline in order, without an executor. Private to evaluate.

#include <plumbline/core/peeking.hpp>
#include <plumbline/core/plain_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline::detail {

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

enum class plain_form : unsigned char { view, source, same, element, serial, nested, structure };
template <class Op, class... Ups> consteval plain_form plain_form_of(std::type_identity<node<Op, Ups...>>) {
  using P = node<Op, Ups...>;
  constexpr form how = form_of<P>;
  if constexpr (has_plain_view<P> && (sizeof...(Ups) != 1 || !combines<P>))
    return plain_form::view;
  else if constexpr (sizeof...(Ups) == 0)
    return plain_form::source;
  else if constexpr (how == form::async_boundary || replays<Op>)
    return plain_form::same;
  else if constexpr (how == form::nest)
    return plain_form::nested;
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

template <class Op, class... Ups>
  requires(plain_form_for<node<Op, Ups...>> == plain_form::structure)
struct plain_cursor<node<Op, Ups...>> : Op::template cursor<plain_cursor<Ups>...> {
  using base = typename Op::template cursor<plain_cursor<Ups>...>;
  constexpr plain_cursor(const node<Op, Ups...>& p, plain_numbers before)
      : base(on_upstreams<base, plain_cursor>(p, before)) {}
};

/// An open stream of an operator that opens some.
template <class Inner> class plain_slot {
 public:
  explicit plain_slot(std::uint64_t seed) : seed_(seed) {}
  void open(Inner p, const lineage& outer) {
    held_ = std::make_unique<stream>(std::move(p), hash_combine(seed_, outer.key()));
    outer_ = outer;
    part_ = 0;
    held_->elements.begin(outer.epoch);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    return held_->elements.pump([&](auto&& x, const lineage&) { sink(std::move(x), outer_.part(part_++)); }, budget);
  }
  void leave() { held_.reset(); }

 private:
  struct stream {
    Inner p;
    peeking<plain_cursor<Inner>> elements;
    stream(Inner of, std::uint64_t seed) : p(std::move(of)), elements(plain_cursor<Inner>(p, {seed})) {}
  };
  std::uint64_t seed_;
  std::unique_ptr<stream> held_{};
  lineage outer_{};
  std::uint64_t part_ = 0;
};
template <class Op, class Up>
  requires(plain_form_for<node<Op, Up>> == plain_form::nested)
struct plain_cursor<node<Op, Up>>
    : Op::template nested_cursor<plain_slot<typename Op::template nested<typename Up::element>>, plain_cursor<Up>> {
  using slot = plain_slot<typename Op::template nested<typename Up::element>>;
  using base = typename Op::template nested_cursor<slot, plain_cursor<Up>>;
  plain_cursor(const node<Op, Up>& p, plain_numbers before)
      : plain_cursor(p, before, plain_context<node<Op, Up>>(before)) {}

 private:
  plain_cursor(const node<Op, Up>& p, plain_numbers before, const stream_context& cx)
      : base(p.op, cx.op, slots(p.op, hash_combine(cx.seed, cx.op)), plain_cursor<Up>(p.up(), before)) {}
  static std::vector<slot> slots(const Op& op, std::uint64_t seed) {
    std::vector<slot> all;
    for (auto i = op.streams_open(); i != 0; --i) all.emplace_back(seed);
    return all;
  }
};

}  // namespace plumbline::detail
