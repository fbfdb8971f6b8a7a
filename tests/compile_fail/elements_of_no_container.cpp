// error: plumbline: elements\(v\) got something that is not a container of known size; give a vector or an array, or use from_range\(r\)
#include <plumbline/plumbline.hpp>

#include <ranges>

namespace pl = plumbline;

auto evens = std::views::iota(0) | std::views::filter([](int i) { return i % 2 == 0; });

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(evens) | pl::take(2);
#else
auto p = pl::from_range(evens) | pl::take(2);
#endif
