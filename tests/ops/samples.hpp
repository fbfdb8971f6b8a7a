#pragma once
// Elements of every kind that batches and groups hold, and the functions that make them.

#include <plumbline/core/rng.hpp>
#include <plumbline/data/tensor.hpp>

#include <cstdint>
#include <string>
#include <tuple>

namespace plumbline_test {

namespace pl = plumbline;

struct sample {
  std::string name;
  float weight;
  pl::tensor<std::int32_t> values;
};
inline constexpr auto odd = [](std::int64_t x) { return x % 2 == 1; };
inline constexpr auto to_tensor = [](std::int64_t x) {
  return pl::tensor<std::int32_t>(pl::shape{2, 3}, static_cast<std::int32_t>(x));
};
inline constexpr auto to_text = [](std::int64_t x) { return "text " + std::to_string(x); };
inline constexpr auto to_sample = [](std::int64_t x) {
  return sample{std::to_string(x), static_cast<float>(x) / 4, pl::tensor<std::int32_t>({2}, static_cast<int>(x))};
};
inline constexpr auto to_tuple = [](std::int64_t x) { return std::tuple(x, std::to_string(x), x % 2 == 0); };
inline constexpr auto draw_text = [](std::int64_t x, pl::rng& r) {
  return std::to_string(x) + ":" + std::to_string(r());
};

}  // namespace plumbline_test
