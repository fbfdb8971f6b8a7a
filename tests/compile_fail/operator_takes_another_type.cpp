// error: plumbline: the operator's transform, keep or expand cannot be called with this stream's element, see Op and Element in this message
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
#ifdef PLUMBLINE_EXPECT_ERROR
  std::int64_t transform(const pl::element_context&, std::string&& x) const { return std::stol(x); }
#else
  std::int64_t transform(const pl::element_context&, std::int64_t&& x) const { return -x; }
#endif
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
