// error: plumbline: generate\(n, f\) cannot call f; f takes the element.s index
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate(9, [] { return 1; });
#else
auto p = pl::generate(9, [](std::uint64_t) { return 1; });
#endif
