// error: plumbline: pick_best needs #include <plumbline/tune.hpp>
#include <plumbline/plumbline.hpp>
#ifndef PLUMBLINE_EXPECT_ERROR
#include <plumbline/tune.hpp>
#endif

namespace pl = plumbline;

auto tuned = pl::pick_best(pl::range(9), pl::range(8));
