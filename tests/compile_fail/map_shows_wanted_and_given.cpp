// error: (Wanted = double; Given = std::.*string|map_wanted_and_given<double, std::.*string)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map([](double x) { return x + 1; });
#else
auto p = pl::elements(words) | pl::map([](const std::string& x) { return x.size() + 1; });
#endif
