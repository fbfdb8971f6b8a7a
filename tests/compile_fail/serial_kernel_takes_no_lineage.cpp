// error: plumbline: the operator's serial kernel cannot be given this stream's element
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
    kernel(const own_op&, const pl::stream_context&) {}
#ifdef PLUMBLINE_EXPECT_ERROR
    void push(In&& x, auto&& emit) { emit(std::move(x)); }
#else
    void push(In&& x, const pl::lineage& at, auto&& emit) { emit(std::move(x), at); }
#endif
  };
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
