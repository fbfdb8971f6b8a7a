#pragma once
// An operator alone, without a pipeline: what compare.py measures next to the map.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// callgrind counts only while this function runs: --toggle-collect=plumbline_alone.
extern "C" [[gnu::noinline]] inline void plumbline_alone(void (*work)(void*), void* of) {
  work(of);
  asm volatile("" : : : "memory");
}

namespace hardware {

template <class F> void alone(F f) {
  // through a pointer that the compiler does not know, which otherwise makes copies of the function with other names
  void (*volatile counted)(void (*)(void*), void*) = plumbline_alone;
  counted([](void* it) { (*static_cast<F*>(it))(); }, &f);
}
/// Calls f for each input, counted, and returns what it made.
template <class In, class F> auto each_alone(std::vector<In>& inputs, F f) {
  std::vector<decltype(f(std::move(inputs[0]), std::size_t{}))> made;
  made.reserve(inputs.size());
  alone([&] {
    for (std::size_t i = 0; i != inputs.size(); ++i) made.push_back(f(std::move(inputs[i]), i));
  });
  return made;
}
/// The same without counting.
template <class In, class F> auto each(std::vector<In>& inputs, F f) {
  std::vector<decltype(f(std::move(inputs[0]), std::size_t{}))> made;
  made.reserve(inputs.size());
  for (std::size_t i = 0; i != inputs.size(); ++i) made.push_back(f(std::move(inputs[i]), i));
  return made;
}

/// The program: `map` runs the pipeline, mapped(input, threads); any other word is an operator, one(operator, input).
/// Both return a number that depends on what was made.
template <class Mapped, class One>
int program(int argc, char** argv, const char* usage, Mapped&& mapped, One&& one) try {
  if (argc < 3) throw std::invalid_argument(usage);
  const std::string_view what = argv[1];
  const std::size_t threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 2;
  std::fprintf(stderr, "%g\n", what == "map" ? mapped(argv[2], threads) : one(what, argv[2]));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

}  // namespace hardware
