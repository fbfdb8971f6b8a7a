// error: plumbline: scan\(first, f\): f must return the next state and the element to yield, see Returned
#include <plumbline/plumbline.hpp>

#include <utility>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::scan(0, [](int sum, std::int64_t x) { return sum + static_cast<int>(x); });
#else
auto p = pl::range(9) | pl::scan(0, [](int sum, std::int64_t x) { return std::pair(sum, x); });
#endif
