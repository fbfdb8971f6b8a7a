// error: cache\(bytes\) counts the memory of its elements, and of this class it is not known what an object holds
#include <map>
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

struct words {
  std::int64_t first;
  std::vector<std::map<int, int>> counts;
};

#ifndef PLUMBLINE_EXPECT_ERROR
template <> struct plumbline::heap_bytes<std::map<int, int>> {
  static std::size_t of(const std::map<int, int>& x) { return 48 * x.size(); }
};
#endif
auto p = pl::range(9) | pl::map([](std::int64_t x) { return words{x, {}}; }) | pl::cache(pl::bytes(1000));
