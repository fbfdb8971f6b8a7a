// error: plumbline: a serial kernel must be movable
#include <plumbline/plumbline.hpp>

#include <mutex>

namespace pl = plumbline;

struct own_op : pl::op_base {
  static constexpr std::string_view name = "own";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
    kernel(const own_op&, const pl::stream_context&) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) { emit(std::move(x), at); }
#ifdef PLUMBLINE_EXPECT_ERROR
    std::mutex guard;
#else
    std::unique_ptr<std::mutex> guard = std::make_unique<std::mutex>();
#endif
  };
};

auto p = pl::range(3) | own_op() | pl::batch<2>();
