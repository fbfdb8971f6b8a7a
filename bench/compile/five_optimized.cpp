// Measured by compile.py: a file with five optimized pipelines.
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

namespace pl = plumbline;

template <class P> std::size_t taken(const P& pipeline) {
  std::size_t n = 0;
  for (const auto& batch : pl::optimize(pipeline)) n += sizeof(batch);
  return n;
}

std::size_t numbers() {
  return taken(pl::range(1000) | pl::map([](std::int64_t x) { return x * x; }) | pl::batch(256));
}
std::size_t odd_numbers() {
  return taken(pl::range(1000) | pl::filter([](std::int64_t x) { return x % 2 != 0; }) | pl::shuffle(64, 7) |
               pl::map([](std::int64_t x) { return static_cast<float>(x); }) | pl::batch(32));
}
std::size_t text(const std::string& files) {
  return taken(pl::lines(files, {.keep_empty = false}) | pl::map([](const std::string& s) { return s.size(); }) |
               pl::batch(128));
}
std::size_t contents(const std::string& files) {
  return taken(pl::files(files) | pl::shuffle(1) | pl::read_file() |
               pl::map([](const pl::file_contents& f) { return f.data.size(); }) | pl::batch(16));
}
std::size_t pairs() {
  return taken(pl::zip(pl::range(1000) | pl::map([](std::int64_t x) { return x + 1; }),
                       pl::range(1000) | pl::map([](std::int64_t x) { return static_cast<double>(x); })) |
               pl::batch(64));
}
