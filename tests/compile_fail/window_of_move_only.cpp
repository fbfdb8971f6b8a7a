// error: plumbline: window\(n\) copies elements, as windows may overlap, and this element cannot be copied
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); }) | pl::window(3);
#else
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::make_shared<std::int64_t>(x); }) | pl::window(3);
#endif
