// What operator<< prints. The reference is numpy's str() of the same arrays.
#include <plumbline/plumbline.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <numeric>
#include <sstream>

namespace pl = plumbline;

namespace {

template <class T> std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}
pl::tensor<std::int64_t> counted(const pl::shape& s) {
  pl::tensor<std::int64_t> t(s);
  std::iota(t.span().begin(), t.span().end(), 0);
  return t;
}

struct reading {
  int station;
  float celsius;
  std::string name;
};

}  // namespace

TEST_CASE("print: tensors as numpy does") {
  CHECK(printed(pl::tensor<int>::of({1, 2, 3})) == "[1 2 3]");
  CHECK(printed(pl::tensor<float>::of({0.5F, 1, 0.1F})) == "[0.5   1 0.1]");
  CHECK(printed(pl::byte_tensor::of({7, 255})) == "[  7 255]");
  CHECK(printed(pl::tensor<int>()) == "[]");
  CHECK(printed(pl::tensor<int>(pl::shape{}, 5)) == "5");
  CHECK(printed(counted({2, 3})) == "[[0 1 2]\n [3 4 5]]");
  CHECK(printed(counted({2, 3})[1]) == "[3 4 5]");
  CHECK(printed(counted({2, 2, 2})) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  CHECK(printed(pl::fixed_tensor<int, 2, 2>()) == "[[0 0]\n [0 0]]");
  CHECK(printed(pl::shape{2, 3}) == "[2, 3]");
}

TEST_CASE("print: large tensors are shortened") {
  CHECK(printed(counted({1000})).size() > 3000);
  CHECK(printed(counted({1001})) == "[   0    1    2 ...  998  999 1000]");
  CHECK(printed(counted({2, 1001})) == "[[   0    1    2 ...  998  999 1000]\n [1001 1002 1003 ... 1999 2000 2001]]");
  CHECK(printed(counted({500, 3})) ==
        "[[   0    1    2]\n [   3    4    5]\n [   6    7    8]\n ...\n [1491 1492 1493]\n [1494 1495 1496]\n"
        " [1497 1498 1499]]");
}

TEST_CASE("print: columns, one after another") {
  auto stream = pl::run(pl::elements(std::vector<reading>{{17, 20.5F, "a"}, {18, -3, "b"}}) | pl::batch(2));
  CHECK(printed(*stream.next()) == "([17 18],\n [20.5   -3],\n [\"a\" \"b\"])");
}

TEST_CASE("tensor: one dimension is a range of its elements") {
  auto t = counted({2, 3});
  std::int64_t sum = 0;
  for (const auto x : t[1]) sum += x;
  CHECK(sum == 12);
  auto one = pl::tensor<int>::of({1, 2, 3});
  for (auto& x : one) x *= 2;
  CHECK(one == pl::tensor<int>::of({2, 4, 6}));
  CHECK(std::ranges::equal(std::as_const(one), std::vector{2, 4, 6}));
  static_assert(std::ranges::contiguous_range<pl::tensor<float>> &&
                std::ranges::contiguous_range<pl::fixed_tensor<int, 4>>);
  static_assert(!std::ranges::range<pl::fixed_tensor<int, 2, 2>>);
  std::size_t none = 0;
  for ([[maybe_unused]] const auto x : pl::tensor<float>()) ++none;
  CHECK(none == 0);
  CHECK_THROWS_WITH(
      [&] {
        for (auto x : t) sum += x;
      }(),
      "plumbline: for (auto x : t) needs a tensor with one dimension, and this one has shape [2, 3]; "
      "iterate over t.span(), all elements, or over t[i], i < t.shape()[0]");
}
