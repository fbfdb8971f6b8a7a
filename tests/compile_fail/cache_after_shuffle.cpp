// error: plumbline: cache would give the same order in every epoch; put cache\(\) before shuffle
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::shuffle(1) | pl::batch<3>() | pl::cache();
#else
auto p = pl::range(9) | pl::cache() | pl::shuffle(9, 1) | pl::batch<3>();
#endif
