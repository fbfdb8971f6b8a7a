// error: plumbline: the operator does not say what it yields|plumbline: the operator has no kernel; give it transform, keep or expand, or template <class In> struct kernel
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> using output = In;
  template <class In> In transfrom(const pl::element_context&, In&& x) const { return -x; }  // misspelt
#else
  template <class In> In transform(const pl::element_context&, In&& x) const { return -x; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
