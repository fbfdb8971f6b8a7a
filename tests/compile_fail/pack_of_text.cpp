// error: plumbline: pack joins sequences: std::vector or tensor of numbers, and this element is none
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::pack(8);
#else
auto p = pl::elements(words) | pl::map([](const std::string& s) { return std::vector<int>(s.begin(), s.end()); }) |
         pl::pack(8);
#endif
