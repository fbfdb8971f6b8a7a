// error: plumbline: the operator has no rule that takes its stream's facts and its sizes, so the resulting count and order are unknown; give it static constexpr stream_facts rule\(stream_facts in\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct same_op : pl::op_base {
  static constexpr std::string_view name = "same";
#ifdef PLUMBLINE_EXPECT_ERROR
  static constexpr void rule(pl::stream_facts& in) { in.order = pl::ordering::permuted; }
#endif
  template <class In> In transform(const pl::element_context&, In&& x) const { return std::move(x); }
};

auto p = pl::range(9) | same_op() | pl::batch<2>();
