// error: plumbline: run_shared needs a pipeline that any job can begin anew, and this one consumes its source
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <ranges>
#include <sstream>

namespace pl = plumbline;

std::istringstream text("1 2 3");

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::run_shared(pl::from_range(std::ranges::istream_view<int>(text)), {.name = "sweep"});
#else
auto s = pl::run(pl::from_range(std::ranges::istream_view<int>(text)));
#endif
