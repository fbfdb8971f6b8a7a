// error: plumbline: map\(f\) cannot call f with this stream.s element, see Wanted and Given in this message; change
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map([](int x) { return x + 1; });
#else
auto p = pl::elements(words) | pl::map([](const std::string& x) { return x.size() + 1; });
#endif
