// error: plumbline: run got an operator, not a pipeline; begin with a source
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto pairs = pl::take(4) | pl::batch<2>();

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::run(pairs);
#else
auto s = pl::run(pl::range(9) | pairs);
#endif
