// error: plumbline: flat_map\(f\) cannot call f with this stream's element, see Wanted and Given in this message; change f's parameter, or convert with a map before it
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::files("*.txt") | pl::flat_map(pl::parse_lines());
#else
auto p = pl::files("*.txt") | pl::read_file() | pl::flat_map(pl::parse_lines());
#endif
