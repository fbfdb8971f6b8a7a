// error: plumbline: filter\(f\) cannot call f with this stream.s element, .*; change f.s parameter, or take the element by const reference
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::filter([](std::string& s) { return !s.empty(); });
#else
auto p = pl::elements(words) | pl::filter([](const std::string& s) { return !s.empty(); });
#endif
