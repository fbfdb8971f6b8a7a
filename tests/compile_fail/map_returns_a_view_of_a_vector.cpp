// error: plumbline: map\(f\): f returns a view, and the element that it may look into is gone when f returns; return an owning value
#include <plumbline/plumbline.hpp>

#include <array>
#include <span>
#include <vector>

namespace pl = plumbline;

auto rows = pl::elements({std::vector{1, 2, 3}, std::vector{4, 5}});

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = rows | pl::map([](const std::vector<int>& v) { return std::span<const int, 2>(v.data(), 2); });
#else
auto p = rows | pl::map([](const std::vector<int>& v) { return std::array{v[0], v[1]}; });
#endif
