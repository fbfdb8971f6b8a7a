// A small pipeline for test_map.py: two maps that are fused, one of them a libc function's user, a serial shuffle, and
// batches whose slots are filled with memcpy. Arguments: threads (0), elements (64).
#include <plumbline/plumbline.hpp>
#include <plumbline/symbols.hpp>

#include <cstdio>
#include <cstdlib>

namespace pl = plumbline;

namespace {
// A known number of turns, each of a few instructions that the compiler cannot leave out.
std::uint64_t turns(std::uint64_t x, int n) {
  for (int i = 0; i != n; ++i) {
    x = x * 6364136223846793005ULL + 1;
    asm volatile("" : "+r"(x));
  }
  return x;
}
std::uint64_t light(std::int64_t x) { return turns(static_cast<std::uint64_t>(x), 2000); }
pl::tensor<float> heavy(std::uint64_t x) { return pl::tensor<float>({2048}, static_cast<float>(turns(x, 20000))); }
}  // namespace

int main(int argc, char** argv) {
  const auto p = pl::range(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 64) | pl::map(light).named("light") |
                 pl::map(heavy).named("heavy") | pl::shuffle(8, 1) | pl::batch<16>();
  auto s = pl::run<pl::tracing::symbols>(p, {.threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0});
  float sum = 0;
  for (auto& b : s) sum += b.data()[0];
  std::printf("%g\n", static_cast<double>(sum));
}
