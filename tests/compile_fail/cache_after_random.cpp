// error: plumbline: cache would give the same random draws in every epoch; put cache\(\) before the first random
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr auto jitter = [](std::int64_t x, pl::rng& draw) { return x + static_cast<std::int64_t>(draw.below(5)); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(jitter) | pl::cache();
#else
auto p = pl::range(9) | pl::cache() | pl::map(jitter);
#endif
