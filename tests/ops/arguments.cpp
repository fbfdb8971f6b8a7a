// Arguments known only at run time are reported as well as those known at compile time: what is wrong, and what to do.
#include <plumbline/plumbline.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <stdexcept>
#include <string>

namespace pl = plumbline;

namespace {

// The message of the std::invalid_argument that f throws, if it throws one.
template <class F> std::optional<std::string> complaint(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return std::nullopt;
}

const auto each = [](std::int64_t n) { return pl::range(n); };

}  // namespace

TEST_CASE("invalid arguments of operators are rejected when the pipeline is built", "[arguments]") {
  CHECK(complaint([] { pl::batch(0); }) == "plumbline: batch(0) would hold nothing; give at least 1");
  CHECK(complaint([] { pl::batch(0, pl::drop_remainder); }) ==
        "plumbline: batch(0) would hold nothing; give at least 1");
  CHECK(complaint([] { pl::shard(2, 5); }) ==
        "plumbline: shard(2, 5) has no such part; the index must be below the count");
  CHECK(complaint([] { pl::shard(0, 0); }) ==
        "plumbline: shard(0, 0) has no such part; the index must be below the count");
  CHECK(complaint([] { pl::shard(-1, 0); }) == "plumbline: shard(-1): a count cannot be negative; give at least 0");
  CHECK(complaint([] { pl::shard(2, -1, pl::drop_remainder); }) ==
        "plumbline: shard(-1): a count cannot be negative; give at least 0");
  CHECK(complaint([] { pl::sort_within(-1); }) ==
        "plumbline: sort_within(-1): a count cannot be negative; give at least 1");
  CHECK(complaint([] { pl::prefetch(0); }) ==
        "plumbline: prefetch(0) would hold nothing; give at least 1, or leave it out");
  CHECK(complaint([] { pl::shuffle(0, 7); }) ==
        "plumbline: shuffle(0, seed) has a buffer that holds nothing; give at least 1");
  CHECK(complaint([] { pl::interleave(each, {.cycle_length = 0}); }) ==
        "plumbline: interleave has a cycle_length or block_length of 0 and would never advance; give at least 1");
  CHECK(complaint([] { pl::interleave(each, {.block_length = 0}); }) ==
        "plumbline: interleave has a cycle_length or block_length of 0 and would never advance; give at least 1");
  CHECK(complaint([] { pl::range(5, 2, 0); }) == "plumbline: range with a step of 0 would not move; give another step");
}

TEST_CASE("the smallest valid arguments are accepted", "[arguments]") {
  CHECK(complaint([] { pl::batch(1); }) == std::nullopt);
  CHECK(complaint([] { pl::shard(1, 0); }) == std::nullopt);
  CHECK(complaint([] { pl::prefetch(1); }) == std::nullopt);
  CHECK(complaint([] { pl::shuffle(1, 7); }) == std::nullopt);
  CHECK(complaint([] { pl::interleave(each, {.cycle_length = 1, .block_length = 1}); }) == std::nullopt);
  CHECK(complaint([] { pl::range(2, 2); }) == std::nullopt);
  CHECK(complaint([] { pl::take(0), pl::skip(0), pl::repeat(0); }) == std::nullopt);
}

TEST_CASE("invalid run options are rejected before anything starts", "[arguments]") {
  const auto p = pl::range(3);
  CHECK(complaint([&] { pl::run(p, {.chunk = 0}); }) == "plumbline: run: chunk is 0; leave it out or give at least 1");
  CHECK(complaint([&] { pl::run(p, {.io_threads = 0}); }) ==
        "plumbline: run: io_threads is 0; leave it out or give at least 1");
  CHECK(complaint([&] { pl::run(p, {.prefetch = 0}); }) ==
        "plumbline: run: prefetch is 0; leave it out or give at least 1");
  CHECK(complaint([&] { pl::run(p, {.threads = 0}); }) == std::nullopt);
}
