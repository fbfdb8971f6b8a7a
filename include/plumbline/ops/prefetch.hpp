#pragma once
/// prefetch(n): a buffer of n elements between the operators before and after it, which then run independently. Rarely
/// needed: every part of a pipeline has a buffer of its own; prefetch sets its size.
///   lines("corpus.txt") | prefetch(1000) | map(tokenize)
/// tf.data: prefetch, PyTorch: torchdata.nodes.Prefetcher, grain: mp_prefetch, mlx-data: prefetch

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/chain.hpp>

#include <stdexcept>

namespace plumbline {

struct prefetch_op : op_base {
  static constexpr std::string_view name = "prefetch";
  static constexpr bool reads_lineage = false, order_free = true, async_boundary = true;
  std::uint64_t n;

  constexpr explicit prefetch_op(std::uint64_t count) : n(count) {
    if (count == 0)
      throw std::invalid_argument("plumbline: prefetch(0) would hold nothing; give at least 1, or leave it out");
  }

  template <class In> using output = In;

  static constexpr stream_facts rule(stream_facts in) { return in; }

  constexpr buffering buffer() const { return buffering::of_elements(n); }
};

constexpr auto prefetch(std::uint64_t n) { return prefetch_op(n); }
constexpr auto prefetch(std::signed_integral auto n) {
  return prefetch(detail::count_from("prefetch", n, "leave prefetch out to let the run choose"));
}
detail::uncalled prefetch(detail::uncalled);  // `| prefetch`, without parentheses, is one error

}  // namespace plumbline
