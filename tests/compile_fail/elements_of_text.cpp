// error: plumbline: elements\(v\) got text, which would be a stream of letters; give a list
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements("cat.jpg") | pl::take(2);
#else
auto p = pl::elements({"cat.jpg", "dog.jpg"}) | pl::take(2);
#endif
