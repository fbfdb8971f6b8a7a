// error: plumbline: generate\(f\) cannot see where f ends; f\(\) must return std::optional, empty at the end, or take
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate([] { return 3; }) | pl::take(2);
#else
auto p = pl::generate([](std::uint64_t) { return 3; }) | pl::take(2);
#endif
