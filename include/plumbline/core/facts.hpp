#pragma once
/// stream_facts: what is known of a stream without running it. Folded along the chain twice: on the type
/// (`facts_of<P>`), and on the object once run-time sizes are known (`p.facts()`).

#include <plumbline/core/cardinality.hpp>

#include <concepts>

namespace plumbline {

/// Is the same place of the stream held by the same element in every epoch?
enum class ordering : unsigned char { fixed, permuted };

/// Do the elements themselves depend on random numbers? (`seeded`: reproducible from the run's seed.) A pure change of
/// order is `ordering::permuted`, not randomness of the elements.
enum class randomness : unsigned char { none, seeded };

struct stream_facts {
  cardinality count{};
  ordering order = ordering::fixed;
  randomness draws = randomness::none;
  /// Element i can be made without making the others: an exact shuffle, a cheap skip and a repeat without a pause
  /// follow.
  bool indexed = false;
  /// And it is made of one element of the source alone, by the same rule in every epoch: a cache can keep it by number,
  /// in whatever order it comes. Follows from the operators; no rule has to set it.
  bool keyed = false;
  /// The stream can be begun only once (it consumes its source).
  bool one_pass = false;
  /// Somewhere below, storage is read: such work never runs on a compute worker.
  bool blocking = false;

  friend constexpr bool operator==(const stream_facts&, const stream_facts&) = default;
};

/// What is known of several streams joined into one of so many elements. It can be made by number where each of them
/// can, unless one reads storage: reading and decoding stay in lines of their own.
constexpr stream_facts joined(cardinality count, std::same_as<stream_facts> auto... of) {
  const auto permuted = ((of.order == ordering::permuted) || ...), seeded = ((of.draws == randomness::seeded) || ...);
  return {.count = count,
          .order = permuted ? ordering::permuted : ordering::fixed,
          .draws = seeded ? randomness::seeded : randomness::none,
          .indexed = ((of.indexed && !of.blocking) && ...),
          .one_pass = (of.one_pass || ...),
          .blocking = (of.blocking || ...)};
}

/// The facts that the type of a pipeline carries.
template <class P> inline constexpr stream_facts facts_of = P::type_facts;

}  // namespace plumbline
