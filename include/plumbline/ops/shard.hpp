#pragma once
/// shard(count, index): every count-th element, starting at `index`, as tf.data's shard. The shards together hold each
/// element once; on an indexed stream the elements of the other shards are never made. After shuffle(seed) all workers
/// draw from one permutation, and an element visits other workers in other epochs; before it each worker keeps a fixed
/// part.
///   files("*.tar") | shard(world_size, rank)

#include <plumbline/core/chain.hpp>

#include <stdexcept>
#include <string>

namespace plumbline {

struct shard_op : op_base {
  static constexpr std::string_view name = "shard";
  static constexpr bool reads_lineage = false;
  size<dynamic> count, index;
  static constexpr auto sizes = std::tuple(&shard_op::count, &shard_op::index);

  constexpr shard_op(std::uint64_t c, std::uint64_t i) : count{c}, index{i} {
    if (i >= c)
      throw std::invalid_argument("plumbline: shard(" + std::to_string(c) + ", " + std::to_string(i) +
                                  ") has no such part; the index must be below the count");
  }

  template <class In> using output = In;

  static constexpr stream_facts rule(stream_facts in, cardinality count, cardinality index) {
    in.count = grouped(without_first(in.count, index), count);
    return in;
  }

  constexpr element_index map_index(element_index p, std::uint64_t) const {
    return {p.index * count.value() + index.value(), p.epoch};
  }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const {
    return up == unbounded ? unbounded : detail::ceil_div(detail::sub_sat(up, index.value()), count.value());
  }

  template <class In> struct kernel {
    std::uint64_t count, until;
    kernel(const shard_op& op, const stream_context&) : count(op.count.value()), until(op.index.value()) {}
    template <class Io> void state(Io& io) { io(until); }
    void push(In&& x, const lineage& at, auto&& emit) {
      if (until == 0) {
        until = count;
        emit(std::move(x), at);
      }
      --until;
    }
  };
};

constexpr auto shard(std::uint64_t count, std::uint64_t index) { return shard_op(count, index); }

}  // namespace plumbline
