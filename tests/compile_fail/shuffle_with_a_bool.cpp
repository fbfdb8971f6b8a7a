// error: plumbline: shuffle\(seed\) permutes anew in each epoch; for the same order: shuffle\(seed,
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto q = pl::range(9) | pl::shuffle(42, false) | pl::take(2);
#else
auto q = pl::range(9) | pl::shuffle(42, pl::each_epoch::same) | pl::take(2);
#endif
