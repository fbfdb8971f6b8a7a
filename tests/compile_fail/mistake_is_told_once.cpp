// error: plumbline: batch<0> would hold nothing; give at least 1
#include <plumbline/plumbline.hpp>

#include <iostream>
#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
constexpr int width = 0;
#else
constexpr int width = 3;
#endif

void step(std::vector<int>&);
void look(const pl::tensor<std::int64_t>&);

auto p = pl::range<9>() | pl::batch<width>();
auto q = pl::zip(p, pl::range(3)) | pl::shuffle(9, 1) | pl::repeat<2>();
auto r = pl::concat(q, q) | pl::map([](const auto& x) { return x; }) | pl::filter([](const auto&) { return true; });
constexpr bool indexed = pl::facts_of<decltype(r)>.indexed;
const auto count = q.facts().count;

void consume() {
  for (auto& b : pl::run(p, {.threads = 2})) look(b);
  for (const auto& b : pl::run(q)) static_cast<void>(b);
  auto s = pl::run(r);
  while (auto b = s.next()) static_cast<void>(*b);
  s.restart();
  s.stop();
  std::cout << pl::explain(q);
}
