#pragma once
// An operator alone, without a pipeline: what compare.py measures next to the map.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// callgrind counts only while this function runs: --toggle-collect=plumbline_alone.
extern "C" [[gnu::noinline]] inline void plumbline_alone(void (*work)(void*), void* of) {
  work(of);
  asm volatile("" : : : "memory");
}

namespace hardware {

template <class F> void alone(F f) {
  plumbline_alone([](void* it) { (*static_cast<F*>(it))(); }, &f);
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

}  // namespace hardware
