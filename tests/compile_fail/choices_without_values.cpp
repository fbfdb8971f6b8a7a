// error: plumbline: choices<T> does not know the values of T; name them, as in choices<int, 1, 2>
#include <plumbline/tune.hpp>

namespace pl = plumbline;

const auto first = []<int N> { return pl::range(N); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::pick_best<pl::choices<int>>(first);
#else
auto s = pl::pick_best<pl::choices<int, 10, 20>>(first);
#endif
