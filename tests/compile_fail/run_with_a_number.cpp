// error: plumbline: run\(p, options\) got something that is not run_options; set options by name in braces, for example run\(p, {.threads = 4}\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

void use(std::int64_t);

const auto p = pl::range(3);

#ifdef PLUMBLINE_EXPECT_ERROR
void consume() {
  for (auto& x : pl::run(p, 4)) use(x);
}
#else
void consume() {
  for (auto& x : pl::run(p, {.threads = 4})) use(x);
}
#endif
