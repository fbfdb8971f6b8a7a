// error: plumbline: \| has an operator to its left, not a stream; begin with a source
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::take(3) | pl::batch<2>();
#else
auto p = pl::range(9) | pl::take(3) | pl::batch<2>();
#endif
