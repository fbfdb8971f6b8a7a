// error: plumbline: from_range\(r\) cannot walk r, which is not an input range; give it something with begin\(\) and end\(\)
#include <plumbline/plumbline.hpp>

#include <list>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::from_range(3) | pl::take(2);
#else
auto p = pl::from_range(std::list<int>{1, 2, 3}) | pl::take(2);
#endif
