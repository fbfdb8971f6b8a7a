// error: has a function to its right; if it makes an operator, call it
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::files("*") | pl::read_file;
#else
auto p = pl::files("*") | pl::read_file();
#endif
