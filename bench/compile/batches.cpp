// Measured by compile.py: the smallest pipeline that does something, run.
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

std::int64_t batches(std::int64_t n) {
  std::int64_t sum = 0;
  for (const auto& batch : pl::run(pl::range(n) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch(256)))
    sum += batch.data()[0];
  return sum;
}
