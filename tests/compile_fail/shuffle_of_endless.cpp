// error: plumbline: shuffle\(seed\) cannot permute an endless stream; put it before repeat\(\), or use shuffle\(buffer, seed\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::repeat() | pl::shuffle(1);
#else
auto p = pl::range(9) | pl::shuffle(1) | pl::repeat();
#endif
