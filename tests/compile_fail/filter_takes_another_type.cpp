// error: (Wanted = int; Given = const std::.*string|filter_wanted_and_given<int, const std::.*string)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::filter([](int x) { return x > 0; });
#else
auto p = pl::elements(words) | pl::filter([](const std::string& s) { return !s.empty(); });
#endif
