#pragma once
// reference(pipeline): the elements of a pipeline, by the reference implementations of its operators.

#include <support/pulled.hpp>

#include <ops/reference.hpp>  // made by CMake: all of ops/reference/

#include <vector>

namespace plumbline_test {

struct epoch_of {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::size_t limit = ~std::size_t{0};  // for endless streams
};

// The elements of one epoch, in order. Throws what the pipeline throws.
template <class P> std::vector<item<typename P::element>> reference(const P& p, epoch_of e = {}) {
  const auto next = pulled(p, where{e.seed, e.epoch});
  std::vector<item<typename P::element>> out;
  while (out.size() < e.limit) {
    auto x = next();
    if (!x) break;
    out.push_back(std::move(*x));
  }
  return out;
}

}  // namespace plumbline_test
