#pragma once
/// split(stream, shares, seed): disjoint random parts of an indexed stream, the same in every epoch. The last share may
/// be what is left: {0.9, 0.1}. The parts keep each element in one place; shuffle a part anew with shuffle(seed).
///   auto [train, validation] = split(files("photos/**/*.jpg"), {0.9, 0.1}, 42);
///   run(train | shuffle(7) | read_file() | ...)
/// tf.data: take and skip after a fixed shuffle, PyTorch: random_split, grain: MapDataset.slice, mlx-data: Buffer.perm

#include <plumbline/core/chain.hpp>
#include <plumbline/core/exact_number.hpp>
#include <plumbline/ops/shuffle.hpp>
#include <plumbline/ops/skip.hpp>
#include <plumbline/ops/take.hpp>

#include <array>
#include <stdexcept>
#include <string>

namespace plumbline {

namespace detail {
template <class P> consteval bool split_knows_its_count() {
  constexpr bool indexed = P::type_facts.indexed;
  static_assert(indexed,
                "plumbline: split needs an indexed stream, whose elements can be chosen by number; split the files or "
                "the source, before filters and readers");
  return indexed;
}
/// Where each share of n elements ends. Throws for shares that are negative, or more than the whole.
template <std::size_t N> std::array<std::uint64_t, N> share_ends(const double (&shares)[N], std::uint64_t n) {
  std::array<std::uint64_t, N> ends{};
  double sum = 0;
  for (std::size_t i = 0; i != N; ++i) {
    if (!(shares[i] >= 0))
      throw std::invalid_argument("plumbline: split: a share is " + exact_number(shares[i]) +
                                  "; give shares of at least 0");
    sum += shares[i];
    ends[i] = std::min(n, static_cast<std::uint64_t>(sum * static_cast<double>(n) + 0.5));
  }
  if (sum > 1 + 1e-9)
    throw std::invalid_argument("plumbline: split: the shares add up to " + exact_number(sum) +
                                "; give at most 1 in all");
  return ends;
}
}  // namespace detail

template <pipeline P, std::size_t N> auto split(const P& p, const double (&shares)[N], std::uint64_t seed) {
  if constexpr (!detail::split_knows_its_count<P>()) {
    return std::array<ill_formed, N>{};
  } else {
    const auto count = p.facts().count;
    if (!count.exact())
      throw std::invalid_argument("plumbline: split: the stream's count is not known; split a source that has one");
    const auto ends = detail::share_ends(shares, count.least);
    const auto part = [&](std::size_t i) {
      const auto from = i == 0 ? std::uint64_t{0} : ends[i - 1];
      return p | shuffle(seed, each_epoch::same) | skip(from) | take(ends[i] - from);
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::array{part(I)...}; }
    (std::make_index_sequence<N>{});
  }
}

}  // namespace plumbline
