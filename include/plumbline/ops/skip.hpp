#pragma once
/// skip(n): each epoch without its first n elements. On an indexed stream those are never made.
///   range(10) | skip(2)                                 // 2 to 9
/// tf.data: skip, PyTorch: Subset, itertools.islice, grain: MapDataset.slice, mlx-data: Buffer.perm

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct skip_op : op_base {
  static constexpr std::string_view name = "skip";
  static constexpr bool reads_lineage = false, cuts = true;
  size<dynamic> n;
  static constexpr auto sizes = std::tuple(&skip_op::n);

  constexpr explicit skip_op(std::uint64_t count) : n{count} {}

  template <class In> using output = In;

  static constexpr stream_facts rule(stream_facts in, cardinality n) {
    in.count = without_first(in.count, n);
    return in;
  }

  constexpr element_index map_index(element_index p, std::uint64_t) const { return {p.index + n.value(), p.epoch}; }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const {
    return up == unbounded ? unbounded : detail::sub_sat(up, n.value());
  }

  template <class In> struct kernel {
    std::uint64_t left;
    constexpr kernel(const skip_op& op, const stream_context&) : left(op.n.value()) {}
    template <class Io> void state(Io& io) { io(left); }
    constexpr void push(In&& x, const lineage& at, auto&& emit) {
      if (left == 0)
        emit(std::move(x), at);
      else
        --left;
    }
  };
};

constexpr auto skip(std::uint64_t n) { return skip_op(n); }
constexpr auto skip(std::signed_integral auto n) { return skip(detail::count_from("skip", n)); }
detail::uncalled skip(detail::uncalled);  // `| skip`, without parentheses, is one error

}  // namespace plumbline
