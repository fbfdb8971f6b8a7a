// error: plumbline: map\(f\): f returns a view, and the element that it may look into is gone when f returns; return an owning value
#include <plumbline/plumbline.hpp>

#include <string>
#include <string_view>

namespace pl = plumbline;

auto lines = pl::elements({std::string("a"), std::string("b")});

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = lines | pl::map([](const std::string& s) { return std::string_view(s).substr(1); });
#else
auto p = lines | pl::map([](const std::string& s) { return s.substr(1); });
#endif
