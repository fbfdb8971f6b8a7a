// error: plumbline: filter\(f\) hands f one element, which is one tuple here, and f takes its parts; take it whole
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range(3), pl::range(3)) | pl::filter([](auto a, auto b) { return a < b; });
#else
auto p = pl::zip(pl::range(3), pl::range(3)) | pl::filter([](const auto& t) {
           auto& [a, b] = t;
           return a < b;
         });
#endif
