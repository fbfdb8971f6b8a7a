// error: plumbline: shuffle\(seed\) needs elements that can be made by index, and this stream is not indexed; put it right after
#include <plumbline/plumbline.hpp>

#include <list>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::from_range(std::list<int>{1, 2, 3}) | pl::shuffle(1);
#else
auto p = pl::from_range(std::list<int>{1, 2, 3}) | pl::shuffle(3, 1);
#endif
