// Measured by compile.py: the smallest pipeline that does something, optimized.
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

namespace pl = plumbline;

std::int64_t batches(std::int64_t n) {
  std::int64_t sum = 0;
  for (const auto& batch : pl::optimize(pl::range(n) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch(256)))
    sum += batch.data()[0];
  return sum;
}
