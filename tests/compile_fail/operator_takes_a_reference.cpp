// error: plumbline: the operator's transform, keep or expand takes a reference that it could change; take In&&
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  bool keep(const pl::element_context&, std::int64_t& x) const { return x++ != 0; }
#else
  bool keep(const pl::element_context&, const std::int64_t& x) const { return x != 0; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
