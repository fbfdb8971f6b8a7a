// error: plumbline: map\(f\): f returns a reference to something that cannot be copied; return it by value
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

auto numbers = pl::range(3) | pl::map([](std::int64_t) { return std::make_unique<int>(3); });

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = numbers | pl::map([](const std::unique_ptr<int>& x) -> const auto& { return x; });
#else
auto p = numbers | pl::map([](const std::unique_ptr<int>& x) -> const auto& { return *x; });
#endif
