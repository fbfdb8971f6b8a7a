// error: (Wanted = .*image<.*>; Given = std::.*string|map_wanted_and_given<.*image<.*>, std::.*string)
#include <plumbline/plumbline.hpp>

#include <plumbline/image/resize.hpp>
#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map(pl::resize<8, 8>());
#else
auto p = pl::elements(words) | pl::map([](const std::string& s) { return pl::image(s.size(), 2, 3); }) |
         pl::map(pl::resize<8, 8>());
#endif
