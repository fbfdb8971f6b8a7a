// Which batch fails, and by which of its elements: the same for any number of threads.
#include <ops/samples.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <stdexcept>

using namespace plumbline_test;

namespace {

/// The elements that were delivered, and the failure after them.
template <class P> std::string outcome(const P& p, std::size_t threads) {
  std::string out;
  try {
    for (auto& x : pl::run(p, {.threads = threads})) out += std::to_string(x.shape()[0]) + " ";
  } catch (const pl::failure& f) {
    const std::string what = f.what();
    out += what.substr(0, what.find(", the one"));
  }
  return out;
}
template <class P> void always(const P& p, const std::string& wanted) {
  for (const std::size_t threads : {0U, 1U, 2U, 4U})
    for (int round = 0; round < (threads < 2 ? 1 : 30); ++round) REQUIRE(outcome(p, threads) == wanted);
}
std::string failed(int op, int ops, int element, const std::string& first) {
  return "plumbline: batch (operator " + std::to_string(op) + " of " + std::to_string(ops) + ") failed at element " +
         std::to_string(element) + " of range, epoch 0: the elements of a batch have different shapes: the first has " +
         first;
}
/// The shape of element i is [widths[i]].
auto widths(std::vector<std::size_t> w) {
  return pl::map([w = std::move(w)](std::int64_t i) {
    return pl::tensor<float>(pl::shape{w.at(static_cast<std::size_t>(i))}, 0);
  });
}

}  // namespace

TEST_CASE("batch: the failure names the first element whose shape differs from the first of its batch") {
  always(pl::range(22) | pl::batch(4) | pl::batch(3), "3 " + failed(3, 3, 20, "[4]"));
  always(pl::range(11) | pl::batch(4) | pl::batch(3), failed(3, 3, 8, "[4]"));
  always(pl::range(6) | widths({1, 2, 2, 2, 2, 2}) | pl::batch(6), failed(3, 3, 1, "[1]"));
  always(pl::range(6) | widths({1, 1, 1, 1, 1, 2}) | pl::batch(6), failed(3, 3, 5, "[1]"));
  always(pl::range(6) | widths({1, 1, 1, 2, 1, 3}) | pl::batch(3), "3 " + failed(3, 3, 4, "[2]"));
  always(pl::range(6) | widths({1, 1, 1, 2, 1, 3}) | pl::batch(3) | pl::skip(1), failed(3, 4, 4, "[2]"));
}

TEST_CASE("batch: of several parts, the first element that differs in any of them") {
  const auto parts = pl::map([](std::int64_t i) {
    const pl::tensor<float> a(pl::shape{i == 5 ? 2U : 1U}, 0), b(pl::shape{i == 3 ? 2U : 1U}, 0);
    return std::pair(std::tuple(a, i), std::array{b, b});
  });
  for (const std::size_t threads : {0U, 2U}) {
    try {
      for (auto& x : pl::run(pl::range(8) | parts | pl::batch(8), {.threads = threads})) static_cast<void>(x);
      FAIL("no failure");
    } catch (const pl::failure& f) {
      CHECK(f.at().index == 3);
      CHECK_THAT(f.what(), Catch::Matchers::Contains("the one at position 3 has [2]"));
    }
  }
}

TEST_CASE("batch: a remainder that is dropped does not fail") {
  always(pl::range(7) | pl::batch(4) | pl::batch(3, pl::drop_remainder), "");
  always(pl::range(7) | pl::batch(4) | pl::batch(3, pl::drop_remainder) | pl::repeat(3), "");
  always(pl::range(8) | widths({1, 1, 1, 1, 1, 1, 1, 2}) | pl::batch<3>(pl::drop_remainder), "3 3 ");
  always(pl::range(8) | widths({1, 1, 1, 1, 1, 1, 1, 2}) | pl::batch<3>(pl::drop_remainder) | pl::skip(1), "3 ");
}

namespace {
struct even {
  std::int64_t value;
};
}  // namespace
template <> struct plumbline::collator<even> {
  using batch_type = tensor<std::int64_t>;
  explicit collator(std::size_t n) : values(n) {}
  void put(std::size_t slot, even&& x) {
    if (x.value % 2 != 0) throw std::domain_error("odd: " + std::to_string(x.value));
    values[slot] = x.value;
  }
  batch_type finish(std::size_t filled) && {
    return batch_type::of(std::span<const std::int64_t>(values.data(), filled));
  }
  std::vector<std::int64_t> values;
};

TEST_CASE("batch: an exception of a collator is that of the element it was given") {
  const auto from_two = [](std::int64_t x) { return even{x < 13 ? 2 * x : x}; };
  const auto fails_at = [](int element) {
    return "plumbline: batch (operator 3 of 3) failed at element " + std::to_string(element) +
           " of range, epoch 0: odd: " + std::to_string(element);
  };
  always(pl::range(20) | pl::map(from_two) | pl::batch(5), "5 5 " + fails_at(13));
  always(pl::range(16) | pl::map(from_two) | pl::batch(15), fails_at(13));
  always(pl::range(14) | pl::map(from_two) | pl::batch(4, pl::drop_remainder), "4 4 4 ");
}
