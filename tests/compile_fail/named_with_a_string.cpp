// error: plumbline: named\(\) takes a string literal, so that the name lives as long as the program: named\("decode"\)
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

const std::string name = "twice";
const auto twice = [](std::int64_t x) { return 2 * x; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(twice).named(name);
#else
auto p = pl::range(9) | pl::map(twice).named("twice");
#endif
