#pragma once
/// stream_facts: what is known about a stream without running it. Folded along the chain twice: on the type
/// (`facts_of<P>`), and on the object once run-time sizes are known (`p.facts()`).

#include <plumbline/core/cardinality.hpp>

#include <concepts>

namespace plumbline {

/// `fixed`: each position in the stream holds the same element in every epoch.
enum class ordering : unsigned char { fixed, permuted };

/// `seeded`: the elements themselves depend on random numbers, reproducibly from the run's seed. A mere change of order
/// is `ordering::permuted`, not randomness of the elements.
enum class randomness : unsigned char { none, seeded };

struct stream_facts {
  cardinality count{};
  ordering order = ordering::fixed;
  randomness draws = randomness::none;
  /// Element i can be made without making the others. This allows an exact shuffle, a cheap skip, and a repeat without
  /// a pause.
  bool indexed = false;
  /// Also, each element is made from a single element of the source, by the same rule in every epoch. So a cache can
  /// keep it by index, in whatever order elements come. Deduced from the operators; no rule has to set it.
  bool keyed = false;
  /// The stream can be started only once (it consumes its source).
  bool one_pass = false;
  /// An operator in it reads storage; work that waits for storage never runs on a compute worker.
  bool blocking = false;

  friend constexpr bool operator==(const stream_facts&, const stream_facts&) = default;
};

/// The facts of several streams joined into one with the given count. It is indexed if all of them are, unless one
/// reads storage: reading and decoding then stay in segments of their own.
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
