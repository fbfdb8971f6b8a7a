#pragma once
/// The operator protocol: what an operator's kernel looks like. The executor checks these concepts, never a name.
///
///   element kernel   exactly one of these const members; the executor calls it for many elements at once:
///                      Out transform(const element_context&, In&&) const                one element from one
///                      bool keep(const element_context&, const In&) const               none or one
///                      void expand(const element_context&, In&&, auto&& emit) const     any number
///                    How many elements it makes and their type are deduced (expand states its type as `output`). What
///                    it reads of the context is deduced from its first parameter's type: see no_context and the types
///                    that derive from it. An exception is reported with this operator and this element; elements are
///                    passed on outside the function. A function that is noexcept needs no guard and no lineage.
///                    `emit(y)` returns false when the stream is stopped: then return. Optional, besides expand:
///                    `R all_parts(In&&) const`, a container of what expand would emit, which may be called instead.
///                    One that blocks (`blocking = true`) may have `std::optional<Out> try_transform(const
///                    element_context&, In& x) const`. It returns the element if that needs no waiting; else nothing,
///                    leaving x unchanged and having no other effect, and transform() is called where it may wait.
///   serial kernel    `template <class In> struct kernel { kernel(const Op&, const stream_context&);
///                                                         void push(In&&, const lineage&, auto&& emit); }`
///                    Optional: `finish(emit)` at the end of the epoch; `demand()`, how many more elements it can use
///                    (0 ends the epoch); `push_all(std::span<In>, emit)`, for plain values of at most 16 bytes;
///                    `template <class Io> void state(Io& io) { io(a, b); }`, which names the members that change: they
///                    are saved and loaded (core/state.hpp). One object per epoch, movable; its members are the
///                    operator's whole state.
///   index kernel     `element_index map_index(element_index, up_size) const`, `mapped_size(up_size) const`
///                    Used where the upstream can make any element by index. No element is touched. Where map_index()
///                    changes nothing, state `keeps_places = true`: then the operator does not require its upstream's
///                    elements by index, and is serial behind a batch that fills its slots.
///   structure        `template <class... Cursors> struct cursor`
///                    Decides which upstream is read next (zip, concat, repeat, interleave, cache): exec/cursor.hpp.
///   view             `template <class... Views> struct view { view(const Op&, const stream_context&, Views...);
///                                                             std::uint64_t size() const;
///                                                             void get(element_index, auto&& sink) const; }`
///                    Makes any of the operator's elements by index from its upstreams' (zip, concat, batch). With one
///                    upstream it is used only where an operator downstream reads by index (shuffle, skip, repeat).
///   in place         `template <class In> struct scatter`, `struct finalize`
///                    For groups whose slots are filled by the parallel stage that makes the elements (batch):
///                    `scatter`, an element kernel, fills a slot; `finalize`, a serial one, passes on the group.
///
/// Besides its kernel an operator has a `name`. If it changes count or order in its own way, it also has
/// `rule(stream_facts, cardinality...)`, called with a cardinality for each of its `sizes`, a tuple of pointers to
/// members. The rule is evaluated on what the type knows and on what the object holds. What follows from the kernel
/// needs no rule: keep may drop elements, expand makes an unknown number, a random kernel draws, a blocking one reads
/// storage, and only elements made one from one can be made by index. An operator without an element kernel states
/// `template <class In> using output`. If its state depends on anything else (a seed, a length that is not a size),
/// `auto parameters() const` returns that as a tuple of integers; a state is not loaded where they differ. Examples:
/// examples/own_operator.cpp.

#include <plumbline/core/lineage.hpp>
#include <plumbline/core/listed_files.hpp>

#include <atomic>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

/// The type of an element kernel's first parameter states what it reads of its context. With this one: nothing.
struct no_context {};
/// Which element it is.
struct element_context : no_context {
  const lineage& at;
};
/// Random numbers: an operator that takes this is random.
struct random_context : element_context {
  std::uint64_t key;  ///< from the run's seed and the number of the random operator in its pipeline
  /// The generator for this element at this operator.
  constexpr rng make_rng() const { return rng{hash_combine(key, at.key())}; }
};
/// The element's position in this stream.
struct position_context : no_context {
  std::uint64_t position;  ///< from 0 in each epoch
  std::uint64_t epoch_id;  ///< identifies the epoch of this stream among all in flight
};

namespace detail {
class array_memory;  // data/array_memory.hpp
}  // namespace detail

/// What a serial kernel is constructed with when an epoch begins.
struct stream_context {
  std::uint64_t seed;
  std::uint64_t epoch;
  std::uint32_t op;
  std::uint32_t random_op_index;
  detail::array_memory* arrays = nullptr;  ///< where the arrays of batches should be; null: the memory pool
};
/// The same for operators that replay what an earlier epoch made (`replays`).
struct replay_context : stream_context {
  /// For each source, by its index, how many of its epochs make one of this stream. So a replayed element's lineage is
  /// exactly what it would have been.
  std::shared_ptr<const std::vector<std::uint64_t>> rounds{};
  std::uint32_t first_source = 0;           ///< the index of the stream's first source; `rounds` is 0 before it
  const std::atomic<bool>* stop = nullptr;  ///< once it is set, the stream may end early
  /// For operators whose elements outlive the process (`persists`): a hash of the pipeline before it, and its text.
  std::uint64_t upstream = 0;
  std::string upstream_text{};
  detail::listed_files upstream_files{};
};

/// Names an element by index, before it is made.
struct element_index {
  std::uint64_t index;
  std::uint64_t epoch;
};

/// What a cursor's pump() returns.
enum class pump_result : unsigned char {
  more,    ///< the budget is spent; call again
  ended,   ///< this epoch is over
  pending  ///< nothing available yet; what feeds this cursor will cause another call
};

/// The properties of a cursor, which it states as `static constexpr cursor_traits traits`.
struct cursor_traits {
  bool prompt = false;         ///< gives what is available or returns pending, and never waits
  bool gathers = false;        ///< the budget counts small plain values that are available, many to an element
  bool within_budget = false;  ///< calls the sink at most `budget` times
  bool wants_end = false;      ///< keeps an epoch if it is asked for more after the last element (cache)
};

namespace detail {
struct any_sink {
  template <class... A> constexpr bool operator()(A&&...) const { return true; }
};
/// Stands for a cursor in a concept.
template <class T> struct nowhere { using element = T; };
}  // namespace detail

/// How many elements an element kernel makes from one.
enum class arity : unsigned char { none, one, maybe, many };

namespace detail {
/// How many the kernel makes when it is called with this context; none: it cannot be called.
template <class Op, class In, class Context> consteval arity called_with() {
  if constexpr (requires(const Op& op, const Context& cx, In&& x) { op.transform(cx, static_cast<In&&>(x)); })
    return arity::one;
  else if constexpr (requires(const Op& op, const Context& cx, const In& x) { op.keep(cx, x); })
    return arity::maybe;
  else if constexpr (requires(const Op& op, const Context& cx, In&& x, any_sink s) {
                       op.expand(cx, static_cast<In&&>(x), s);
                     })
    return arity::many;
  else
    return arity::none;
}
/// The first of these contexts that the kernel can be called with; void if there is none.
template <class Op, class In, class... Contexts> struct first_context { using type = void; };
template <class Op, class In, class Least, class... More>
struct first_context<Op, In, Least, More...>
    : std::conditional_t<called_with<Op, In, Least>() != arity::none, std::type_identity<Least>,
                         first_context<Op, In, More...>> {};
}  // namespace detail

/// What is deduced from an operator's element kernel for elements of type In.
template <class Op, class In> struct kernel_traits {
  using context =
      typename detail::first_context<Op, In, no_context, element_context, random_context, position_context>::type;
  static constexpr arity makes = [] {
    if constexpr (std::is_void_v<context>)
      return arity::none;
    else
      return detail::called_with<Op, In, context>();
  }();
  static constexpr bool random = std::same_as<context, random_context>;
  static constexpr bool uses_position = std::same_as<context, position_context>;
  static constexpr bool never_throws = [] {
    if constexpr (makes == arity::one)
      return noexcept(std::declval<const Op&>().transform(std::declval<const context&>(), std::declval<In>()));
    else if constexpr (makes == arity::maybe)
      return noexcept(std::declval<const Op&>().keep(std::declval<const context&>(), std::declval<const In&>()));
    else
      return false;
  }();
  /// True if the element's lineage is read, by the kernel or to report an exception.
  static constexpr bool reads_lineage = !never_throws || std::derived_from<context, element_context>;
};

template <class Op, class In>
concept element_kernel = kernel_traits<Op, In>::makes != arity::none;
template <class Op, class In>
concept serial_kernel = requires {
  typename Op::template kernel<In>;
};
template <class Op>
concept index_kernel = requires(const Op& op, element_index p, std::uint64_t n) {
  { op.map_index(p, n) } -> std::same_as<element_index>;
  { op.mapped_size(n) } -> std::same_as<std::uint64_t>;
};
template <class Op, class... In>
concept structural = requires {
  typename Op::template cursor<detail::nowhere<In>...>;
};
/// Makes any element by index, from elements of its upstreams.
template <class Op, class... In>
concept makes_by_number = requires {
  typename Op::template view<detail::nowhere<In>...>;
};
/// Opens a pipeline of its own for each element (flat_map, interleave): streams within streams.
template <class Op, class In>
concept nesting = requires {
  typename Op::template nested<In>;
};
template <class Op, class In>
concept in_place_kernel = requires {
  typename Op::template scatter<In>;
  typename Op::template finalize<In>;
};

}  // namespace plumbline
