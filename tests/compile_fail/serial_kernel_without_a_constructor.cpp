// error: plumbline: the operator's serial kernel cannot be constructed when an epoch begins; give it kernel\(const Op&
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
#ifdef PLUMBLINE_EXPECT_ERROR
#else
    kernel(const own_op&, const pl::stream_context&) {}
#endif
    void push(In&& x, const pl::lineage& at, auto&& emit) { emit(std::move(x), at); }
  };
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
