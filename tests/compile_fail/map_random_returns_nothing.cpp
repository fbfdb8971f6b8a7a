// error: plumbline: map\(f\): f returns nothing; return the element
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([](std::int64_t x, pl::rng& draw) { x += static_cast<std::int64_t>(draw.below(2)); });
#else
auto p =
    pl::range(3) | pl::map([](std::int64_t x, pl::rng& draw) { return x + static_cast<std::int64_t>(draw.below(2)); });
#endif
