#pragma once
/// from_element(p, n): each epoch of a pipeline from its n-th element on, without making those before it. Possible if
/// elements are made by index up to a point, and after it one by one or in groups of a fixed size:
///   files("*.jpg") | shuffle(1) | read_file() | map(decode()) | batch<32>() | map(f)

#include <plumbline/core/chain.hpp>
#include <plumbline/core/form.hpp>

#include <algorithm>
#include <cstdint>

namespace plumbline::detail {

/// Leaves the first elements out, by index.
struct from_element_op : op_base {
  static constexpr std::string_view name = "from_element";
  static constexpr bool reads_lineage = false, cuts = true, is_added = true;
  std::uint64_t first;
  template <class In> using output = In;
  static constexpr stream_facts rule(stream_facts in) {
    in.count = cardinality::at_most(in.count.most);
    return in;
  }
  constexpr element_index map_index(element_index p, std::uint64_t) const { return {p.index + first, p.epoch}; }
  constexpr std::uint64_t mapped_size(std::uint64_t up) const {
    return up == unbounded ? up : up - std::min(up, first);
  }
};

/// Its operator makes element i from element i, wherever the stream begins.
template <class P> inline constexpr bool one_by_one = false;
template <class Op, class Up>
inline constexpr bool one_by_one<node<Op, Up>> = [] {
  if constexpr (form_of<node<Op, Up>> == form::async_boundary) {
    return true;
  } else if constexpr (form_of<node<Op, Up>> == form::element) {
    using traits = kernel_traits<Op, typename Up::element>;
    return traits::makes == arity::one && !traits::uses_position;
  } else {
    return false;
  }
}();
/// Its operator makes element i from elements i * n to i * n + n - 1.
template <class P>
concept in_groups = requires(const P& p) {
  { p.op.group_size() } -> std::same_as<std::uint64_t>;
};

template <class P> inline constexpr bool begins_anywhere = P::type_facts.indexed;
template <class Op, class Up>
  requires(!node<Op, Up>::type_facts.indexed)
inline constexpr bool begins_anywhere<node<Op, Up>> =
    (one_by_one<node<Op, Up>> || in_groups<node<Op, Up>>)&&begins_anywhere<Up>;

template <class P> auto from_element(const P& p, std::uint64_t n) {
  if constexpr (P::type_facts.indexed)
    return p | from_element_op{{}, n};
  else if constexpr (one_by_one<P>)
    return from_element(p.up(), n) | p.op;
  else
    return from_element(p.up(), n * p.op.group_size()) | p.op;
}

}  // namespace plumbline::detail
