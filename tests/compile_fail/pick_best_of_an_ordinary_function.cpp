// error: plumbline: pick_best<choices<...>>\(f\) calls f with template arguments alone, and this f cannot be called so
#include <plumbline/tune.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::pick_best<pl::choices<bool>>([](bool twice) { return pl::range(twice ? 20 : 10); });
#else
auto s = pl::pick_best<pl::choices<bool>>([]<bool Twice> { return pl::range(Twice ? 20 : 10); });
#endif
