// Measured by compile.py: a minimal pipeline; run, or optimized if OPTIMIZED is defined.
#include <plumbline/plumbline.hpp>
#ifdef OPTIMIZED
#include <plumbline/tune.hpp>
#endif

namespace pl = plumbline;

std::int64_t batches(std::int64_t n) {
  const auto squares = pl::range(n) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch(256);
  std::int64_t sum = 0;
#ifdef OPTIMIZED
  for (const auto& batch : pl::optimize(squares)) sum += batch.data()[0];
#else
  for (const auto& batch : pl::run(squares)) sum += batch.data()[0];
#endif
  return sum;
}
