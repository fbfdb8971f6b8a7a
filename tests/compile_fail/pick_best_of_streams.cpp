// error: plumbline: pick_best chooses between pipelines, and f does not return one
#include <plumbline/tune.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::pick_best<pl::choices<int, 1, 2>>([]<int N> { return pl::run(pl::range(N)); });
#else
auto s = pl::pick_best<pl::choices<int, 1, 2>>([]<int N> { return pl::range(N); });
#endif
