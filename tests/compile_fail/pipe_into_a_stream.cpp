// error: plumbline: \| has a stream to its right, not an operator; join two streams with zip\(a, b\) or concat\(a, b\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::range(4);
#else
auto p = pl::concat(pl::range(3), pl::range(4));
#endif
