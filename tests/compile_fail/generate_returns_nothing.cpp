// error: plumbline: generate\(f\): f returns nothing; return the element
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate([](std::uint64_t) {}) | pl::take(2);
#else
auto p = pl::generate([](std::uint64_t n) { return n; }) | pl::take(2);
#endif
