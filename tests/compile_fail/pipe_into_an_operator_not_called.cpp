// error: plumbline: \| has an operator to its right that is not called; write its arguments, for example batch\(32\), or empty
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto p = pl::range(9);

#ifdef PLUMBLINE_EXPECT_ERROR
auto q = p | pl::map([](std::int64_t x) { return x; }) | pl::batch;
#else
auto q = p | pl::map([](std::int64_t x) { return x; }) | pl::batch(2);
#endif
