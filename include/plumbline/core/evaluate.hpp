#pragma once
/// evaluate(p): the elements of one epoch of the pipeline p as a std::vector, computed in the calling thread without an
/// executor. It also works in constant expressions, so the compiler can test a pipeline's logic:
///   constexpr auto squares = range<5>() | map([](std::int64_t x) { return x * x; });
///   static_assert(evaluate(squares | skip(2)) == std::vector<std::int64_t>{4, 9, 16});
///   static_assert(evaluate(squares | batch<2>())[1] == std::vector<std::int64_t>{4, 9});
/// The elements are those of run(p) with the same seed and epoch, but a batch is a std::vector of its elements, as
/// constant expressions have no tensors; so no function may follow `batch`.
///
/// In constant expressions: range, generate, elements (of a small std::array), map, filter, flat_map (of vectors),
/// enumerate, take, skip, take_while, scan, shard, shuffle(seed), repeat, zip and concat of indexed streams, group,
/// batch, cache, prefetch, with functions that are constexpr; at run time every operator. cache() keeps nothing here.
/// Memory: all elements. An exception of a function is thrown as it is.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/plain_cursor.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

/// P as the operator after it sees it here.
template <class P> struct plain_upstream {
  using element = typename plain_cursor<P>::element;
  static constexpr stream_facts type_facts = P::type_facts;
};
template <class Op>
concept calls_function = requires(const Op& op) {
  op.f;
}
|| requires(const Op& op) { op.held(); };

/// False if an operator of P reads a batch, which is another type here.
template <class P> inline constexpr bool evaluates = true;
template <class Op, class... Ups> consteval bool reads_no_batch() {
  if constexpr (!(evaluates<Ups> && ...))
    return false;
  else if constexpr ((std::same_as<typename plain_cursor<Ups>::element, typename Ups::element> && ...))
    return true;
  else if constexpr (calls_function<Op> || (nesting<Op, typename Ups::element> || ...))
    return false;
  else if constexpr (requires { (Op::template accepts<plain_upstream<Ups>>, ...); })
    return (Op::template accepts<plain_upstream<Ups>> && ...);
  else
    return true;
}
template <class Op, class Up, class... Ups>
inline constexpr bool evaluates<node<Op, Up, Ups...>> = reads_no_batch<Op, Up, Ups...>();

}  // namespace detail

/// All elements of one epoch. `seed`: as run_options::seed.
template <class P> constexpr auto evaluate(const P& p, std::uint64_t seed = 0, std::uint64_t epoch = 0) {
  static_assert(pipeline<P> || rejected<P>,
                "plumbline: evaluate got something that is not a pipeline; begin with a source, for example range(8)");
  if constexpr (!pipeline<P>) {
    return std::vector<ill_formed::element>();
  } else {
    constexpr bool ends = !P::type_facts.count.endless;
    static_assert(ends, "plumbline: evaluate makes all elements, and this pipeline is endless; put take(n) at its end");
    constexpr bool known = detail::evaluates<P>;
    static_assert(known,
                  "plumbline: evaluate makes a batch a std::vector, and an operator of this pipeline reads a batch as "
                  "run() makes it; evaluate the pipeline up to its batch, or use run");
    if constexpr (ends && known) {
      detail::plain_cursor<P> all(p, {seed});
      std::vector<typename detail::plain_cursor<P>::element> out;
      try {
        all.begin(epoch);
        while (all.pump([&](auto&& x, const lineage&) { out.push_back(std::forward<decltype(x)>(x)); }, 1024) !=
               pump_result::ended) {
        }
      } catch (const detail::thrown& t) {
        std::rethrow_exception(t.cause);
      }
      return out;
    } else {
      return std::vector<typename P::element>();
    }
  }
}

}  // namespace plumbline
