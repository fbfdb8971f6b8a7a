#pragma once
/// The operator protocol: what an operator's kernel looks like. The executor asks these concepts, never a name.
///
///   element kernel   `template <class In> void apply(const element_context&, In&&, auto&& emit) const`
///                    One element at a time, const: runs in parallel. `one_to_one`: it emits exactly once; otherwise
///                    it may keep silent (filter), and if it is `expanding` it may emit many times: then one
///                    element's whole expansion is held. What it throws is told as its own, with the element. That
///                    it emits no more often is watched, unless it says `emits_once`.
///   serial kernel    `template <class In> struct kernel { kernel(const Op&, const stream_context&);
///                                                         void push(In&&, const lineage&, auto&& emit); }`
///                    Optional: `finish(emit)` at the end of the epoch; `wants()`, how many more elements it can use
///                    (0 ends the epoch); `push_all(std::span<In>, emit)`, for plain values of at most 16 bytes. One
///                    object an epoch; its members are the operator's whole state, a value that a checkpoint can save.
///   index kernel     `place from(place, up_size) const`, `size_of(up_size) const`
///                    The same operator where its upstream can make any element by number. No element is touched.
///   structure        `template <class... Cursors> struct cursor`
///                    Decides which upstream is asked next (zip, concat, repeat, interleave, cache). See cursor.hpp.
///   in place         `template <class In> struct fill`, `struct close`
///                    The two halves of a group whose slots are filled by the parallel stage that makes the elements
///                    (batch).
///
/// Beside it an operator has `name`, `template <class In> using output`, and, unless it only makes one element of one,
/// `rule(stream_facts)`: what becomes of count and order, `draws = randomness::seeded` of one that is `random`. That
/// numbers find no elements behind an operator that keeps silent, expands or keeps state is known without it. For an
/// operator of one's own see examples/own_operator.cpp.

#include <plumbline/core/lineage.hpp>

#include <concepts>
#include <memory>
#include <string_view>
#include <vector>

namespace plumbline {

/// What an element kernel may ask about the element in its hands. Built per element; unused parts compile to nothing.
struct element_context {
  const lineage& at;
  std::uint64_t seed;      ///< the run's seed
  std::uint64_t position;  ///< place in this stream and epoch; set where the kernel says `uses_position`
  std::uint64_t group;     ///< identifies the epoch of this stream among all in flight
  std::uint32_t op;        ///< number of the operator in its pipeline, from 1
  std::uint32_t salt;      ///< number of the random operator in its pipeline: its draws are its own
  /// The generator that belongs to this element at this operator.
  constexpr rng make_rng() const { return rng{mix(mix(seed, salt), at.key())}; }
};

/// What a serial kernel is told when an epoch begins.
struct stream_context {
  std::uint64_t seed;
  std::uint64_t epoch;
  std::uint32_t op;
  std::uint32_t salt;
  /// For operators that replay what an earlier epoch made (`replays`): by origin, how many epochs of that source make
  /// one of this stream, so that a replayed element's lineage is exactly what it would have been.
  std::shared_ptr<const std::vector<std::uint64_t>> rounds{};
};

/// An element by number, before it is made.
struct place {
  std::uint64_t index;
  std::uint64_t epoch;
};

/// What a cursor's pump came back with.
enum class pulse : unsigned char {
  more,    ///< the budget is spent; ask again
  ended,   ///< this epoch is over
  pending  ///< nothing there yet: whoever feeds this cursor will call again
};

namespace detail {
struct any_sink {
  template <class... A> constexpr void operator()(A&&...) const {}
};
/// Names a cursor in a concept, without one.
template <class T> struct nowhere { using element = T; };
}  // namespace detail

template <class Op, class In>
concept element_kernel = requires(const Op& op, const element_context& cx, In x, detail::any_sink s) {
  op.apply(cx, static_cast<In&&>(x), s);
};
template <class Op, class In>
concept serial_kernel = requires {
  typename Op::template kernel<In>;
};
template <class Op>
concept index_kernel = requires(const Op& op, place p, std::uint64_t n) {
  { op.from(p, n) } -> std::same_as<place>;
  { op.size_of(n) } -> std::same_as<std::uint64_t>;
};
template <class Op, class... In>
concept structural = requires {
  typename Op::template cursor<detail::nowhere<In>...>;
};
/// Opens a pipeline of its own for each element (flat_map, interleave): streams within streams.
template <class Op, class In>
concept nesting = requires {
  typename Op::template nested<In>;
};
template <class Op, class In>
concept in_place_kernel = requires {
  typename Op::template fill<In>;
  typename Op::template close<In>;
};

namespace detail {
template <class Op> inline constexpr bool one_to_one = false;
template <class Op>
  requires requires { Op::one_to_one; }
inline constexpr bool one_to_one<Op> = Op::one_to_one;

template <class Op> inline constexpr bool expanding = false;
template <class Op>
  requires requires { Op::expanding; }
inline constexpr bool expanding<Op> = Op::expanding;

/// Its word is taken that it emits as often as it says; of others it is watched.
template <class Op> inline constexpr bool emits_once = false;
template <class Op>
  requires requires { Op::emits_once; }
inline constexpr bool emits_once<Op> = Op::emits_once;

template <class Op> inline constexpr bool blocking = false;
template <class Op>
  requires requires { Op::blocking; }
inline constexpr bool blocking<Op> = Op::blocking;

/// Of one that blocks: see core/no_waiting.hpp.
template <class Op> inline constexpr bool tries = false;
template <class Op>
  requires requires { Op::tries; }
inline constexpr bool tries<Op> = Op::tries;

/// Of a source whose elements have numbers: it may be asked for one twice, as nothing of the user's runs when it is.
template <class Op> inline constexpr bool asked_again = false;
template <class Op>
  requires requires { Op::asked_again; }
inline constexpr bool asked_again<Op> = Op::asked_again;

template <class Op> inline constexpr bool uses_position = false;
template <class Op>
  requires requires { Op::uses_position; }
inline constexpr bool uses_position<Op> = Op::uses_position;

/// Does the operator draw random numbers for its elements?
template <class Op> inline constexpr bool random = false;
template <class Op>
  requires requires { Op::random; }
inline constexpr bool random<Op> = Op::random;

/// Is the operator indifferent to the order in which its elements come, as far as the multiset of what it makes goes?
template <class Op> inline constexpr bool order_free = false;
template <class Op>
  requires requires { Op::order_free; }
inline constexpr bool order_free<Op> = Op::order_free;

/// Does it keep the elements of one epoch for the next?
template <class Op> inline constexpr bool replays = false;
template <class Op>
  requires requires { Op::replays; }
inline constexpr bool replays<Op> = Op::replays;

/// Must its upstream run apart from it, with a buffer of the operator's size between them (prefetch)?
template <class Op> inline constexpr bool decouples = false;
template <class Op>
  requires requires { Op::decouples; }
inline constexpr bool decouples<Op> = Op::decouples;

/// Does it look at its element's lineage (to draw, or to name the element when the user's function throws)?
template <class Op> inline constexpr bool reads_lineage = true;
template <class Op>
  requires requires { Op::reads_lineage; }
inline constexpr bool reads_lineage<Op> = Op::reads_lineage;
}  // namespace detail

}  // namespace plumbline
