// A user's program with non-template code compiled once: run, optimize, explain, page.
#include <plumbline/tune.hpp>

#include <cstdint>
#include <iostream>

namespace pl = plumbline;

int main() {
  auto tuned = pl::optimize(pl::range(1000) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch<10>(),
                            {.seconds = 0.1, .progress = [](const std::string&) {}});
  int batches = 0;
  for ([[maybe_unused]] auto&& batch : tuned) ++batches;
  const bool said = pl::explain(tuned).text.find("map") != std::string::npos && !pl::page(tuned).empty();
  std::cout << batches << " batches\n";
  return batches == 100 && said ? 0 : 1;
}
