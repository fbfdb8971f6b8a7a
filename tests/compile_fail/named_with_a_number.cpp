// error: plumbline: named\(\): a number would mean the operator with that number; add a letter
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto twice = [](std::int64_t x) { return 2 * x; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(twice).named("3");
#else
auto p = pl::range(9) | pl::map(twice).named("step 3");
#endif
