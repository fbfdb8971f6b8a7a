// error: plumbline: optimize\(p\) runs p before you do, and its source can be walked only once: elements would be lost
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <ranges>
#include <sstream>

namespace pl = plumbline;

std::istringstream text("1 2 3");

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::optimize(pl::from_range(std::ranges::istream_view<int>(text)) | pl::cache());
#else
auto s = pl::run(pl::from_range(std::ranges::istream_view<int>(text)));
#endif
