// error: reduce combines all elements, and this pipeline is endless
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto forever = pl::range(9) | pl::repeat();
const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
#ifdef PLUMBLINE_EXPECT_ERROR
auto sum = pl::reduce(forever, std::int64_t{0}, add);
#else
auto sum = pl::reduce(forever | pl::take(20), std::int64_t{0}, add);
#endif
