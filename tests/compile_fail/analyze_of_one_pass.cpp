// error: plumbline: analyze\(p, step\) runs p several times, and its source can be walked only once
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <ranges>
#include <sstream>

namespace pl = plumbline;

std::istringstream text("1 2 3");

#ifdef PLUMBLINE_EXPECT_ERROR
auto a = pl::analyze(pl::from_range(std::ranges::istream_view<int>(text)) | pl::batch<2>(), pl::steps_per_second{9});
#else
auto a = pl::analyze(pl::range(9) | pl::batch<2>(), pl::steps_per_second{9});
#endif
