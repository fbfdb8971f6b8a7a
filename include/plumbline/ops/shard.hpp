#pragma once
/// shard(count, index): every count-th element, starting at `index`. The shards together hold each element once; on an
/// indexed stream the elements of the other shards are never made. After shuffle(seed) all workers draw from one
/// permutation, and an element visits other workers in other epochs; before it each worker keeps a fixed part.
/// If the count does not divide the stream, some shards have one element more. For steps that all workers take
/// together: `drop_remainder` as the third argument drops these, `repeat_remainder` gives the other shards elements
/// from the beginning of the stream again.
///   files("*.tar") | shard(world_size, rank)
/// shard(): count and index from the environment of the launcher: torchrun and others (WORLD_SIZE, RANK), Open MPI
/// (OMPI_COMM_WORLD_SIZE, _RANK), SLURM (SLURM_NTASKS, SLURM_PROCID), PMI (PMI_SIZE, PMI_RANK); explain names them.
/// tf.data: shard, PyTorch: DistributedSampler, grain: MapDataset.slice, ShardOptions, mlx-data: partition

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/remainder.hpp>
#include <plumbline/core/state.hpp>

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// What shard does with the last elements of a stream, if they are fewer than there are shards.
enum class uneven : unsigned char {
  keep,   ///< the first shards have one more (default, as tf.data)
  drop,   ///< all shards have as many as the last one
  repeat  ///< the last shards have elements from the beginning of the stream (as PyTorch)
};
inline constexpr std::integral_constant<uneven, uneven::repeat> repeat_remainder{};

namespace detail {
/// A worker's place among several, and where it was found.
struct worker_place {
  std::uint64_t count = 1, index = 0;
  std::string_view from{};  ///< "RANK of WORLD_SIZE"
};
/// The worker's place by the launcher's environment. Throws std::invalid_argument if there is none, or it makes no
/// sense.
worker_place launched();

/// What the last argument of shard stands for.
template <class> inline constexpr auto uneven_as = nullptr;
template <> inline constexpr auto uneven_as<std::remove_const_t<decltype(drop_remainder)>> = uneven::drop;
template <> inline constexpr auto uneven_as<std::remove_const_t<decltype(repeat_remainder)>> = uneven::repeat;
template <class Ends>
concept uneven_ends = !std::same_as<decltype(uneven_as<Ends>), const std::nullptr_t>;
}  // namespace detail

template <uneven Ends> struct shard_op : op_base {
  static constexpr std::string_view name = "shard";
  static constexpr bool reads_lineage = Ends == uneven::repeat;
  size<dynamic> count, index;
  std::string_view from;
  static constexpr auto sizes = std::tuple(&shard_op::count, &shard_op::index);

  constexpr shard_op(std::uint64_t c, std::uint64_t i, std::string_view found = {}) : count{c}, index{i}, from(found) {
    if (i >= c)
      throw std::invalid_argument("plumbline: shard(" + std::to_string(c) + ", " + std::to_string(i) +
                                  ") has no such part; the index must be below the count");
  }

  /// How explain() shows the operator.
  std::string label() const {
    return from.empty() ? std::string(name)
                        : "shard(" + std::to_string(count.value()) + ", " + std::to_string(index.value()) + " from " +
                              std::string(from) + ")";
  }

  template <class In> using output = In;
  template <class Up> static constexpr bool accepts = Ends != uneven::repeat || detail::copies<typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    static_assert(ok,
                  "plumbline: shard with repeat_remainder copies elements, and this stream's cannot be copied; use "
                  "drop_remainder, or hold them in shared_ptr");
  }

  static constexpr stream_facts rule(stream_facts in, cardinality count, cardinality index) {
    in.count = Ends == uneven::keep ? grouped(without_first(in.count, index), count)
                                    : grouped(in.count, count, cardinality::exactly(Ends == uneven::repeat ? 1 : 0));
    return in;
  }

  constexpr element_index map_index(element_index p, std::uint64_t up) const {
    const auto i = p.index * count.value() + index.value();
    return {Ends == uneven::repeat && up != unbounded ? i % up : i, p.epoch};
  }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const {
    if (up == unbounded) return up;
    return Ends == uneven::keep   ? detail::ceil_div(detail::sub_sat(up, index.value()), count.value())
           : Ends == uneven::drop ? up / count.value()
                                  : detail::ceil_div(up, count.value());
  }

  template <class In> struct kernel {
    std::uint64_t count, index, place = 0;  ///< of the next element among `count`
    std::vector<item<In>> held{};           ///< drop: its own, until the others have theirs; repeat: the first `count`
    constexpr kernel(const shard_op& op, const stream_context&) : count(op.count.value()), index(op.index.value()) {}
    template <class Io> void state(Io& io) { io(place, held); }
    constexpr void push(In&& x, const lineage& at, auto&& emit) {
      if constexpr (Ends == uneven::repeat)
        if (held.size() < count) held.push_back({x, at});
      const bool own = place == index;
      if (++place == count) place = 0;
      if constexpr (Ends == uneven::drop) {
        if (own) held.push_back({std::move(x), at});
        if (place != 0) return;
        emit(std::move(held.front().value), held.front().at);
        held.clear();
      } else if (own) {
        emit(std::move(x), at);
      }
    }
    constexpr void finish(auto&& emit) {
      if constexpr (Ends == uneven::repeat)
        if (place != 0 && index >= place) {
          auto& again = held[static_cast<std::size_t>((index - place) % held.size())];
          emit(std::move(again.value), again.at);
        }
      held.clear();
    }
  };
};

constexpr auto shard(std::uint64_t count, std::uint64_t index) { return shard_op<uneven::keep>(count, index); }
template <detail::uneven_ends Ends> constexpr auto shard(std::uint64_t count, std::uint64_t index, Ends) {
  return shard_op<detail::uneven_as<Ends>>(count, index);
}
constexpr auto shard(std::signed_integral auto count, std::signed_integral auto index) {
  return shard(detail::count_from("shard", count), detail::count_from("shard", index));
}
template <detail::uneven_ends Ends>
constexpr auto shard(std::signed_integral auto count, std::signed_integral auto index, Ends ends) {
  return shard(detail::count_from("shard", count), detail::count_from("shard", index), ends);
}
inline auto shard() {
  const auto place = detail::launched();
  return shard_op<uneven::keep>(place.count, place.index, place.from);
}
template <detail::uneven_ends Ends> auto shard(Ends) {
  const auto place = detail::launched();
  return shard_op<detail::uneven_as<Ends>>(place.count, place.index, place.from);
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ops/shard_inl.hpp>
#endif
