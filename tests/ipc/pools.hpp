#pragma once
// Elements of a pool, by their number.
#include <plumbline/core/rng.hpp>
#include <plumbline/ipc/element_pool.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace plumbline_test {

namespace pl = plumbline;
using pl::detail::element_pool;

inline std::vector<std::uint8_t> element(std::uint64_t i) {
  const auto n = static_cast<std::size_t>(pl::hash_combine(i, 1) % 200);
  std::vector<std::uint8_t> all(n);
  for (std::size_t k = 0; k != n; ++k) all[k] = static_cast<std::uint8_t>(pl::hash_combine(i, k));
  return all;
}
inline bool holds(const element_pool& pool, const element_pool::table& in, std::uint64_t i) {
  const auto found = pool.find(in, i);
  if (!found) return false;
  const auto wanted = element(i);
  if (!std::equal(found->begin(), found->end(), wanted.begin(), wanted.end())) FAIL("element " << i << " is another");
  return true;
}

}  // namespace plumbline_test
