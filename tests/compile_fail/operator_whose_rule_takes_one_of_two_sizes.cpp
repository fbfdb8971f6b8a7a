// error: plumbline: the operator has no rule that takes its stream's facts and its sizes, so the resulting count and order are unknown; give it .*, with one more cardinality for each of its sizes, as ops/skip.hpp does
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct part_op : pl::op_base {
  static constexpr std::string_view name = "part";
  pl::size<pl::dynamic> skipped, taken;
  static constexpr auto sizes = std::tuple(&part_op::skipped, &part_op::taken);
  template <class In> using output = In;
#ifdef PLUMBLINE_EXPECT_ERROR
  static constexpr pl::stream_facts rule(pl::stream_facts in, pl::cardinality) { return in; }
#else
  static constexpr pl::stream_facts rule(pl::stream_facts in, pl::cardinality from, pl::cardinality n) {
    in.count = cut_to(without_first(in.count, from), n);
    return in;
  }
#endif
  pl::element_index map_index(pl::element_index p, std::uint64_t) const { return {p.index + skipped.value(), p.epoch}; }
  std::uint64_t mapped_size(std::uint64_t) const { return taken.value(); }
};

auto p = pl::range(9) | part_op{{}, {2}, {3}} | pl::batch<2>();
auto count = p.facts().count;
