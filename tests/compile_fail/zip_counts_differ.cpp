// error: plumbline: zip joins streams of different counts, so elements would be lost silently, see Counts in this message; cut the longer one with take\(n\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range<10>(), pl::range<12>());
#else
auto p = pl::zip(pl::range<10>(), pl::range<12>() | pl::take(10));
#endif
