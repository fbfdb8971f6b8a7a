// error: plumbline: flat_map\(f\): f makes a range without an end, .*; return a stream
#include <plumbline/plumbline.hpp>

#include <ranges>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::flat_map([](std::int64_t x) { return std::views::iota(x); });
#else
auto p = pl::range(3) | pl::flat_map([](std::int64_t x) { return std::views::iota(x, x + 3); });
#endif
