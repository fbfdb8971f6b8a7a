#pragma once
/// ragged_batch(n): batches of elements whose lengths differ, without padding: the values one after another, and where
/// each element begins. The last batch of an epoch may be smaller; `drop_remainder` drops it. Collated in parallel.
///   lines("*.txt") | map(tokenize) | ragged_batch(32)      // std::vector<int> -> ragged<int>
/// tf.data: ragged_batch, PyTorch: collate_fn with nested tensors, grain: -, mlx-data: -

#include <plumbline/data/collate_ragged.hpp>
#include <plumbline/ops/group.hpp>
#include <plumbline/ops/map.hpp>

namespace plumbline {

template <std::uint64_t N> constexpr auto ragged_batch(auto... rest) { return group<N>(rest...) | map(collate_ragged); }
constexpr auto ragged_batch(std::integral auto n, auto... rest) { return group(n, rest...) | map(collate_ragged); }

}  // namespace plumbline
