// error: plumbline: optimize needs #include <plumbline/tune.hpp>
#include <plumbline/plumbline.hpp>
#ifndef PLUMBLINE_EXPECT_ERROR
#include <plumbline/tune.hpp>
#endif

namespace pl = plumbline;

auto tuned = pl::optimize(pl::range(9));
