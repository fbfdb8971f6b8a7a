// error: plumbline: map\(f\) moves each element into f, and f takes a reference that it could change; take the element by value
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map([](std::string& s) { return s + "."; });
#else
auto p = pl::elements(words) | pl::map([](std::string s) { return s + "."; });
#endif
