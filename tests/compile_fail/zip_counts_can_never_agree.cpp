// error: plumbline: zip joins streams of different counts
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range<12>() | pl::filter(odd), pl::range<20>());
#else
auto p = pl::zip(pl::range<12>() | pl::filter(odd), pl::range<20>() | pl::filter(odd));
#endif
