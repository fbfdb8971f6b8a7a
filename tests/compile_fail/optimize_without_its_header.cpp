// error: plumbline: optimize needs #include <plumbline/tune.hpp>
#include <plumbline/plumbline.hpp>
#ifndef PLUMBLINE_EXPECT_ERROR
#include <plumbline/tune.hpp>
#endif

namespace pl = plumbline;

void train() {
  auto tuned = pl::optimize(pl::range(9));
  for (auto& x : tuned) (void)x;
}
