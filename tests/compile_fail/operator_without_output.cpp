// error: plumbline: the operator does not say what it yields; give it template <class In> using output
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct negative_op : pl::op_base {
  static constexpr std::string_view name = "negative";
  static constexpr bool one_to_one = true;
#ifndef PLUMBLINE_EXPECT_ERROR
  template <class In> using output = In;
#endif
  template <class In> void apply(const pl::element_context&, In&& x, auto&& emit) const { emit(-x); }
};

auto p = pl::range(3) | negative_op() | pl::batch<2>();
