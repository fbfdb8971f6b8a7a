#pragma once
// The functions that the chains of golden.json use; generate.py has the same ones for tf.data.

#include <plumbline/core/remainder.hpp>
#include <plumbline/ops/map.hpp>
#include <plumbline/sources.hpp>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline_test::oracle {

namespace pl = plumbline;

// ---- arguments ----
constexpr std::uint64_t u(std::int64_t x) { return static_cast<std::uint64_t>(x); }
constexpr pl::remainder rest(std::int64_t drop) { return drop != 0 ? pl::remainder::drop : pl::remainder::keep; }
// The remainder is at least 0, as in TensorFlow and Python.
constexpr std::int64_t mod(std::int64_t x, std::int64_t k) { return (x % k + k) % k; }

// ---- sources ----
template <class F> std::vector<std::int64_t> listed(std::int64_t n, F f) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i != n; ++i) all.push_back(f(i));
  return all;
}
inline std::vector<std::int64_t> numbers(std::int64_t n) {
  return listed(n, [](std::int64_t i) { return i * i % 101; });
}
inline std::vector<std::int64_t> choices(std::int64_t n, std::int64_t k) {
  return listed(n, [k](std::int64_t i) { return (i * i + i / 3) % k; });
}

// ---- one element to one ----
inline auto times(std::int64_t k) {
  return [k](std::int64_t x) { return x * k + 1; };
}
inline auto modulo(std::int64_t k) {
  return [k](std::int64_t x) { return mod(x, k); };
}
inline auto not_multiple(std::int64_t k) {
  return [k](std::int64_t x) { return mod(x, k) != 0; };
}
inline auto below(std::int64_t k) {
  return [k](std::int64_t x) { return x < k; };
}
inline auto longer(std::int64_t k) {
  return [k](const std::vector<std::int64_t>& x) { return x.size() > u(k); };
}
inline constexpr auto one_more = [](std::int64_t key) { return key + 1; };
inline constexpr auto added = [](std::int64_t all, std::int64_t x) { return std::pair(all + x, 2 * all + x); };
// A number that depends on the order of the parts.
inline constexpr auto folded = [](const auto& x) {
  std::int64_t all = 0, place = 0;
  const auto add = [&](const auto& values) {
    for (const auto y : values) all += ++place * y;
  };
  if constexpr (requires { x.span(); })
    add(x.span());
  else
    add(x);
  return all;
};
inline constexpr auto joined_parts = [](const auto& x) {
  const auto one = [](const auto& part) {
    if constexpr (requires { part.begin(); })
      return folded(part);
    else
      return static_cast<std::int64_t>(part);
  };
  return std::apply([&](const auto&... part) { return ((3 * one(part)) + ...); }, x) - 2 * one(std::get<0>(x));
};

// ---- one element to many ----
inline constexpr auto sequence = [](std::int64_t x) {
  return listed(mod(x, 8), [x](std::int64_t i) { return x + i; });
};
inline constexpr auto some_of = [](std::int64_t x) {
  return listed(mod(x, 4), [x](std::int64_t i) { return x + 10 * i; });
};
inline constexpr auto values_of = [](const std::vector<std::int64_t>& x) { return x; };
// The same as a stream.
inline constexpr auto stream_of = [](std::int64_t x) {
  return pl::range(mod(x, 6)) | pl::map([x](std::int64_t i) { return x + 100 * i; });
};

}  // namespace plumbline_test::oracle
