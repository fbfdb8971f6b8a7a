// error: plumbline: reduce\(p, first, f\) calls f\(state, element\), which must return the next state, see State
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto x = pl::reduce(pl::range(9), 0, [](const std::string& all, std::int64_t) { return all; });
#else
auto x = pl::reduce(pl::range(9), 0, [](int all, std::int64_t) { return all; });
#endif
