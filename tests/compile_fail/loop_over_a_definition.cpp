// error: plumbline: a pipeline is a definition and holds no elements; run it: for \(auto& x : run\(p\)\)
#include <plumbline/plumbline.hpp>

#include <iostream>

namespace pl = plumbline;

int main() {
  const auto p = pl::range(3) | pl::map([](std::int64_t x) { return x; });
  static_assert(!std::ranges::range<decltype(p)>);
#ifdef PLUMBLINE_EXPECT_ERROR
  for (auto& x : p) std::cout << x << '\n';
#else
  for (auto& x : pl::run(p)) std::cout << x << '\n';
#endif
}
