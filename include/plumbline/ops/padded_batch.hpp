#pragma once
/// padded_batch(n), padded_batch(n, pad(value, shape)...): batches of elements whose lengths differ, padded to the
/// longest of the batch or to a stated shape; with one padding for all components of an element, or one for each. The
/// last batch of an epoch may be smaller; `drop_remainder` as the second argument drops it. Batches are collated in
/// parallel.
///   lines("*.txt") | map(tokenize) | padded_batch(32)   // std::vector<int> -> tensor<int> [32, longest]
///   lines("*.txt") | map(tokenize) | enumerate() | padded_batch(32, drop_remainder, pad(0), pad(-1, {512}))
/// tf.data: padded_batch, PyTorch: collate_fn with pad_sequence, grain: batch with a batch_fn, mlx-data: batch(pad)

#include <plumbline/data/collate_padded.hpp>
#include <plumbline/ops/group.hpp>
#include <plumbline/ops/map.hpp>

namespace plumbline {

template <std::uint64_t N, class... V> constexpr auto padded_batch(padding<V>... pads) {
  return group<N>() | map(collate_padded(pads...));
}
template <std::uint64_t N, remainder R, class... V>
constexpr auto padded_batch(std::integral_constant<remainder, R> rest, padding<V>... pads) {
  return group<N>(rest) | map(collate_padded(pads...));
}
template <class... V> constexpr auto padded_batch(std::integral auto n, padding<V>... pads) {
  return group(n) | map(collate_padded(pads...));
}
template <class Rest, class... V>
  requires std::convertible_to<Rest, remainder>
constexpr auto padded_batch(std::integral auto n, Rest rest, padding<V>... pads) {
  return group(n, rest) | map(collate_padded(pads...));
}

}  // namespace plumbline
