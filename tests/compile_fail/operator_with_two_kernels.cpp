// error: plumbline: the operator has more than one of transform, keep and expand; an element kernel is exactly one of them
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> In transform(const pl::element_context&, In&& x) const { return -x; }
  template <class In> bool keep(const pl::element_context&, const In& x) const { return x != 0; }
#else
  template <class In> In transform(const pl::element_context&, In&& x) const { return -x; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
