// error: plumbline: the operator does not say what expand\(\) emits; give it template <class In> using output
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> void expand(const pl::element_context&, In&& x, auto&& emit) const { emit(-x); }
#ifdef PLUMBLINE_EXPECT_ERROR

#else
  template <class In> using output = In;
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
