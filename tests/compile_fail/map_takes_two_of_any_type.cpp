// error: plumbline: map\(f\) hands f one element, and f takes two of any type; take one, or, to be random, name the second
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([](auto a, auto&& b) { return a.size() + b.size(); });
#else
auto p = pl::range(3) | pl::map([](auto a, pl::rng& b) { return a + static_cast<std::int64_t>(b.below(3)); });
#endif
