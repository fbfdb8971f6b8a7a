// error: plumbline: the operator does not say what becomes of the stream's facts; give it static constexpr stream_facts rule\(stream_facts in\), as ops/filter.hpp does
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct twice_op : pl::op_base {
  static constexpr std::string_view name = "twice";
  static constexpr bool expanding = true;
  template <class In> using output = In;
#ifndef PLUMBLINE_EXPECT_ERROR
  static constexpr pl::stream_facts rule(pl::stream_facts in) {
    in.count = times(in.count, pl::cardinality::exactly(2));
    return in;
  }
#endif
  template <class In> void apply(const pl::element_context&, const In& x, auto&& emit) const {
    emit(In(x)), emit(In(x));
  }
};

auto p = pl::range(3) | twice_op() | pl::batch<2>();
auto count = p.facts().count;
