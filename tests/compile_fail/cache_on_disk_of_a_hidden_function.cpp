// error: plumbline: cache\(folder\), cache\(servers\) and cache\(shared_memory\) compare what functions and elements\(v\) hold, and this type hides it, see Hidden in this message
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct scale {
#ifdef PLUMBLINE_EXPECT_ERROR
  float by[3];
#else
  std::array<float, 3> by;
#endif
  float operator()(std::int64_t x) const { return by[0] * static_cast<float>(x); }
};
const auto p = pl::range(9) | pl::map(scale{{1, 2, 3}}) | pl::cache("folder");
