// error: plumbline: group\(\) needs the number of elements in a group: group<32>\(\), or group\(n\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto p = pl::range(9);

#ifdef PLUMBLINE_EXPECT_ERROR
auto q = p | pl::group() | pl::take(2);
#else
auto q = p | pl::group(4) | pl::take(2);
#endif
