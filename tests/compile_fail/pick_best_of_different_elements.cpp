// error: plumbline: pick_best\(p, q\) chooses between pipelines that make the same type of element
#include <plumbline/tune.hpp>

namespace pl = plumbline;

const auto numbers = pl::range(10);
const auto halves = numbers | pl::map([](std::int64_t x) { return 0.5 * static_cast<double>(x); });

#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::pick_best(numbers, halves);
#else
auto s = pl::pick_best(halves, halves | pl::map([](double x) { return x; }));
#endif
