// error: plumbline: \| has no stream to its left; begin with a source
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = 3 | pl::batch<2>();
#else
auto p = pl::range(3) | pl::batch<2>();
#endif
