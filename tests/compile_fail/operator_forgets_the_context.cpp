// error: plumbline: the operator's transform, keep or expand cannot be called with this stream's element
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> In transform(In&& x) const { return -x; }
#else
  template <class In> In transform(const pl::element_context&, In&& x) const { return -x; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
