// error: plumbline: run got an operator, not a pipeline; begin with a source
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

void use(std::int64_t);

#ifdef PLUMBLINE_EXPECT_ERROR
void consume() {
  for (auto& x : pl::run(pl::map([](int x) { return x; }))) use(x);
}
#else
void consume() {
  for (auto& x : pl::run(pl::range(3) | pl::map([](std::int64_t x) { return x; }))) use(x);
}
#endif
