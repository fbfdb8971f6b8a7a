#pragma once
/// take(n): the first n elements of each epoch. Where elements are made by index, the others are never made; behind a
/// batch or group, that is only so if an operator downstream reads by index (shuffle, skip, repeat).
///   range(10) | take(3)                                 // 0, 1, 2
/// tf.data: take, PyTorch: Subset, itertools.islice, grain: MapDataset.slice, mlx-data: Buffer.perm

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct take_op : op_base {
  static constexpr std::string_view name = "take";
  static constexpr bool reads_lineage = false, cuts = true, keeps_places = true;
  size<dynamic> n;
  static constexpr auto sizes = std::tuple(&take_op::n);

  constexpr explicit take_op(std::uint64_t count) : n{count} {}

  template <class In> using output = In;

  static constexpr stream_facts rule(stream_facts in, cardinality n) {
    in.count = cut_to(in.count, n);
    return in;
  }

  // on an indexed stream: the same indices
  constexpr element_index map_index(element_index p, std::uint64_t) const { return p; }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const { return std::min(up, n.value()); }

  template <class In> struct kernel {
    std::uint64_t left;
    constexpr kernel(const take_op& op, const stream_context&) : left(op.n.value()) {}
    constexpr std::uint64_t demand() const { return left; }
    template <class Io> void state(Io& io) { io(left); }
    constexpr void push(In&& x, const lineage& at, auto&& emit) {
      if (left == 0) return;
      --left;
      emit(std::move(x), at);
    }
  };
};

constexpr auto take(std::uint64_t n) { return take_op(n); }
constexpr auto take(std::signed_integral auto n) {
  return take(detail::count_from("take", n, "leave take out to keep all"));
}
detail::uncalled take(detail::uncalled);  // `| take`, without parentheses, is one error

}  // namespace plumbline
