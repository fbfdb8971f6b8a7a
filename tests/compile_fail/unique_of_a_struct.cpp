// error: plumbline: unique\(\) needs values with std::hash and ==, see Key in this message; give it a key
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

struct sample {
  std::string name;
};
const auto make = [](std::int64_t x) { return sample{std::to_string(x)}; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(make) | pl::unique();
#else
auto p = pl::range(9) | pl::map(make) | pl::unique(&sample::name);
#endif
