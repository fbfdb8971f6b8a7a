// error: plumbline: map\(f\) cannot call f with this stream's element
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
constexpr auto f = [](const std::string& x) { return x.size(); };
#else
constexpr auto f = [](std::int64_t x) { return x; };
#endif

auto p = pl::zip(pl::range(3) | pl::map(f), pl::range(3));
void use(std::int64_t, std::int64_t);
void consume() {
  for (auto& [a, b] : pl::run(p)) use(a, b);
  auto s = pl::run(p);
  while (auto x = s.next()) {
    auto& [a, b] = *x;
    use(a, b);
  }
}
