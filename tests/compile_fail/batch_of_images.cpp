// error: plumbline: batch cannot hold images of different sizes, .*; make them equal with map\(resize<224, 224>\(\)\), or take groups of them with group\(n\)
#include <plumbline/plumbline.hpp>

#include <plumbline/image/resize.hpp>

namespace pl = plumbline;

constexpr auto picture = [](std::int64_t n) { return pl::image(4, static_cast<std::size_t>(n) + 1, 3); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(picture) | pl::batch<3>();
#else
auto p = pl::range(9) | pl::map(picture) | pl::map(pl::resize<8, 8>()) | pl::batch<3>();
#endif
