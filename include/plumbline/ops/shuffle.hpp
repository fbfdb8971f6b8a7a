#pragma once
/// shuffle(seed): a new exact permutation every epoch, of an indexed stream of any length, without a buffer: only
/// indices are permuted (a keyed Feistel permutation), so it is uniform over the whole epoch and costs nanoseconds.
/// shuffle(seed, each_epoch::same): the same permutation every epoch (core/reshuffle.hpp).
///   files("*.jpg") | shuffle(42) | read_file()
/// tf.data: shuffle(cardinality), PyTorch: RandomSampler, grain: MapDataset.shuffle, mlx-data: Buffer.shuffle

#include <plumbline/core/chain.hpp>
#include <plumbline/core/permutation.hpp>
#include <plumbline/core/reshuffle.hpp>

namespace plumbline {

template <reshuffle How> struct shuffle_op : op_base {
  static constexpr std::string_view name = "shuffle";
  static constexpr bool reads_lineage = false;
  std::uint64_t seed;

  constexpr explicit shuffle_op(std::uint64_t s) : seed(s) {}
  constexpr auto parameters() const { return std::tuple(seed); }

  template <class In> using output = In;
  template <class Up> static constexpr bool accepts = Up::type_facts.indexed && !Up::type_facts.count.endless;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (Up::type_facts.count.endless)
      static_assert(ok,
                    "plumbline: shuffle(seed) cannot permute an endless stream; put it before repeat(), or use "
                    "shuffle(buffer, seed)");
    else
      static_assert(ok,
                    "plumbline: shuffle(seed) needs elements that can be made by index, and this stream is not "
                    "indexed; put it right after the source, or use shuffle(buffer, seed)");
  }

  static constexpr stream_facts rule(stream_facts in) {
    if (How == reshuffle::each_epoch) in.order = ordering::permuted;
    return in;
  }

  constexpr element_index map_index(element_index p, std::uint64_t up) const {
    return {permutation(up, hash_combine(seed, detail::permuted_as_in<How>(p.epoch)))(p.index), p.epoch};
  }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const { return up; }
};

constexpr auto shuffle(std::uint64_t seed) { return shuffle_op<reshuffle::each_epoch>(seed); }
template <reshuffle How> constexpr auto shuffle(std::uint64_t seed, std::integral_constant<reshuffle, How>) {
  return shuffle_op<How>(seed);
}
/// A mistake: without its seed, or without parentheses.
template <class None = void> constexpr auto shuffle() {
  static_assert(detail::no<None>, "plumbline: shuffle() needs a seed: shuffle(42), or shuffle(buffer, seed)");
  return ill_formed{};
}
template <std::integral Seed, std::same_as<bool> Reshuffles> constexpr auto shuffle(Seed, Reshuffles) {
  static_assert(detail::no<Seed>,
                "plumbline: shuffle(seed) permutes anew in each epoch; for the same order: shuffle(seed, "
                "each_epoch::same)");
  return ill_formed{};
}
detail::uncalled shuffle(detail::uncalled);

}  // namespace plumbline
