// error: plumbline: generate\(f\) calls f from several threads, and f changes itself when called .*; keep no state in f
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate(9, [n = 0](std::uint64_t) mutable { return n++; }) | pl::take(2);
#else
auto p = pl::generate(9, [](std::uint64_t i) { return i; }) | pl::take(2);
#endif
