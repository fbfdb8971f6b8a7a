// error: plumbline: generate\(f\) cannot call f; f takes the element.s index, or nothing and returns std::optional
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate([](const std::string& s) { return s; }) | pl::take(2);
#else
auto p = pl::generate([](std::uint64_t n) { return std::to_string(n); }) | pl::take(2);
#endif
