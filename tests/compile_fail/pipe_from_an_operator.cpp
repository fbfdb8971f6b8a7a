// error: plumbline: \| has a stream to its right, not an operator; join two streams with zip\(a, b\) or concat\(a, b\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::take(3) | pl::batch<2>() | pl::range(9);
#else
auto p = pl::range(9) | (pl::take(3) | pl::batch<2>());
#endif
