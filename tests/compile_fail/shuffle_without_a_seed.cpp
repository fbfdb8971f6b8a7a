// error: plumbline: shuffle\(\) needs a seed: shuffle\(42\), or shuffle\(buffer, seed\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto p = pl::range(9);

#ifdef PLUMBLINE_EXPECT_ERROR
auto q = p | pl::shuffle() | pl::take(2);
#else
auto q = p | pl::shuffle(1) | pl::take(2);
#endif
