// error: (Wanted = const std::.*string.*&; Given = long|interleave_wanted_and_given<const std::.*string.*&, long)
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::interleave([](const std::string& s) { return pl::range(std::int64_t(s.size())); });
#else
auto p = pl::range(3) | pl::interleave([](std::int64_t n) { return pl::range(n); });
#endif
