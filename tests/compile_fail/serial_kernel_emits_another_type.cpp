// error: plumbline: the operator's serial kernel emits something else than its `output` says
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
    kernel(const own_op&, const pl::stream_context&) {}
#ifdef PLUMBLINE_EXPECT_ERROR
    void push(In&&, const pl::lineage& at, auto&& emit) { emit(std::string(), at); }
#else
    void push(In&& x, const pl::lineage& at, auto&& emit) { emit(std::move(x), at); }
#endif
  };
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
