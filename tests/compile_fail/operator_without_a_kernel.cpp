// error: plumbline: the operator has no kernel for these elements: template <class In> void apply\(const element_context&, In&&, auto&& emit\) const, or template <class In> struct kernel; see core/kernel.hpp
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct negative_op : pl::op_base {
  static constexpr std::string_view name = "negative";
  static constexpr bool one_to_one = true;
  template <class In> using output = In;
#ifdef PLUMBLINE_EXPECT_ERROR
  template <class In> void apply(const pl::element_context&, In&& x, auto&& emit) { emit(-x); }  // not const
#else
  template <class In> void apply(const pl::element_context&, In&& x, auto&& emit) const { emit(-x); }
#endif
};

auto p = pl::range(3) | negative_op() | pl::batch<2>();
