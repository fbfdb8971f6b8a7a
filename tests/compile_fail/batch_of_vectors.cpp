// error: batch cannot hold vectors, whose lengths may differ
#include <plumbline/plumbline.hpp>

#include <array>
#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::vector<int>(2, int(x)); }) | pl::batch<3>();
#else
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::array<int, 2>{int(x), 1}; }) | pl::batch<3>();
#endif
