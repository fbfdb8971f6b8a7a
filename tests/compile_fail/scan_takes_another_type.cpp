// error: plumbline: scan\(first, f\) calls f\(state, element\), which this f does not take, see State and Element
#include <plumbline/plumbline.hpp>

#include <string>
#include <utility>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::scan(0, [](int sum, const std::string& x) { return std::pair(sum, x); });
#else
auto p = pl::range(9) | pl::scan(0, [](int sum, std::int64_t x) { return std::pair(sum, x); });
#endif
