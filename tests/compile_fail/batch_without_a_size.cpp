// error: plumbline: batch\(\) needs the number of elements in a batch: batch<32>\(\), or batch\(n\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto p = pl::range(9);

#ifdef PLUMBLINE_EXPECT_ERROR
auto q = p | pl::batch() | pl::take(2);
#else
auto q = p | pl::batch(4) | pl::take(2);
#endif
