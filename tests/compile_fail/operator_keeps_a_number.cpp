// error: plumbline: the operator's keep\(\) must return bool, see Op and Returned in this message
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> int keep(const pl::element_context&, const In& x) const { return x != 0 ? 1 : 0; }
#else
  template <class In> bool keep(const pl::element_context&, const In& x) const { return x != 0; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
