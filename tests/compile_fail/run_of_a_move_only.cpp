// error: plumbline: run\(p\) copies p, and a function or source in p cannot be copied .*; move p, run\(std::move\(p\)\)
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

void use(std::int64_t);

auto p = pl::range(3) | pl::map([u = std::make_unique<int>(3)](std::int64_t x) { return x + *u; });

#ifdef PLUMBLINE_EXPECT_ERROR
void consume() {
  for (auto& x : pl::run(p)) use(x);
}
#else
void consume() {
  for (auto& x : pl::run(std::move(p))) use(x);
}
#endif
