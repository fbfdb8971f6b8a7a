// error: plumbline: the operator has no rule that takes its stream's facts and its sizes, so the resulting count and order are unknown; give it static constexpr stream_facts rule\(stream_facts in\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct odd_places_op : pl::op_base {
  static constexpr std::string_view name = "odd_places";
  template <class In> using output = In;
#ifndef PLUMBLINE_EXPECT_ERROR
  static constexpr pl::stream_facts rule(pl::stream_facts in) {
    in.count = grouped(in.count, pl::cardinality::exactly(2), pl::cardinality::exactly(0));
    return in;
  }
#endif
  template <class In> struct kernel {
    bool odd = false;
    kernel(const odd_places_op&, const pl::stream_context&) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (odd) emit(std::move(x), at);
      odd = !odd;
    }
  };
};

auto p = pl::range(3) | odd_places_op() | pl::batch<2>();
auto count = p.facts().count;
