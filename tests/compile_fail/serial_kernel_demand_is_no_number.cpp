// error: plumbline: the serial kernel's demand\(\) must return how many more elements it can use
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
    kernel(const own_op&, const pl::stream_context&) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) { emit(std::move(x), at); }
#ifdef PLUMBLINE_EXPECT_ERROR
    void demand() {}
#else
    std::uint64_t demand() const { return 1; }
#endif
  };
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
