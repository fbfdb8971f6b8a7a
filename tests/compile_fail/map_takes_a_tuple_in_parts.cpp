// error: plumbline: map\(f\) hands f one element, which is one tuple here, and f takes its parts; take it whole
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range(3), pl::range(3), pl::range(3)) |
         pl::map([](std::int64_t a, std::int64_t b, std::int64_t c) { return a + b + c; });
#else
auto p = pl::zip(pl::range(3), pl::range(3), pl::range(3)) | pl::map([](auto t) {
           auto& [a, b, c] = t;
           return a + b + c;
         });
#endif
