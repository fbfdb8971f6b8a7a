// error: plumbline: map\(f\) calls f with each element, and this f makes such a function; call it first: map\(decode\(\)\) instead of map\(decode\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode);
#else
auto p = pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode());
#endif
