// error: plumbline: the operator's transform, keep or expand changes the operator, and is called from several threads; make it const
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> In transform(const pl::element_context&, In&& x) { return -x; }
#else
  template <class In> In transform(const pl::element_context&, In&& x) const { return -x; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
