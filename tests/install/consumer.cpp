// A minimal user's program, built with an installed plumbline and with plumbline in a subfolder.
#include <plumbline/plumbline.hpp>

#include <cstdint>
#include <iostream>

namespace pl = plumbline;

int main() {
  auto squares = pl::range(10) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch<2>();
  int batches = 0;
  for ([[maybe_unused]] auto&& batch : pl::run(squares)) ++batches;
  std::cout << batches << " batches\n";
  return batches == 5 ? 0 : 1;
}
