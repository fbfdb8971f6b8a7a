// error: plumbline: \| has no operator to its right; what is to be applied to each element, .* goes into map\(f\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | [](std::int64_t x) { return x; };
#else
auto p = pl::range(3) | pl::map([](std::int64_t x) { return x; });
#endif
