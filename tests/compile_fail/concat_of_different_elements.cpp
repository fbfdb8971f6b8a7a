// error: plumbline: concat joins streams of different elements, see First and Rest in this message; map them to one type first
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::concat(pl::range(2), pl::elements(words));
#else
auto p = pl::concat(pl::range(2) | pl::map([](std::int64_t n) { return std::to_string(n); }), pl::elements(words));
#endif
