// Memory is bounded: resident memory stays constant while millions of elements pass shuffle(buffer) and batch.
#include <support/memory_use.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

using namespace plumbline_test;

namespace {
double resident_mib() { return static_cast<double>(resident_bytes()) / (1024.0 * 1024.0); }
// The growth of resident memory between the first tenth of a stream and its end.
template <class P> double growth(const P& p, std::uint64_t batches, const pl::run_options& how) {
  auto s = pl::run(p, how);
  double early = 0, most = 0;
  for (std::uint64_t i = 0; i != batches; ++i) {
    if (!s.next()) break;
    if (i == batches / 10) early = resident_mib();
    if (i > batches / 10 && i % 256 == 0) most = std::max(most, resident_mib());
  }
  return std::max(most, resident_mib()) - early;
}
}  // namespace

TEST_CASE("memory: ten million elements through shuffle(10000) and batch") {
  if (sanitized) return;  // sanitizers keep freed memory for a while
  const watchdog guard("memory: ten million elements");
  const std::uint64_t n = 10'000'000;
  for (const std::size_t threads : {1U, 4U}) {
    CHECK(growth(pl::range(static_cast<std::int64_t>(n)) | pl::map([](std::int64_t x) { return x + 1; }) |
                     pl::shuffle(10'000, 3) | pl::batch<256>(),
                 n / 256, with(threads)) < 8.0);
    CHECK(growth(pl::range(1000) | pl::repeat() | pl::map([](std::int64_t x) { return std::to_string(x); }) |
                     pl::shuffle(10'000, 3) | pl::batch(64),
                 8000, with(threads)) < 8.0);
    CHECK(growth(serial_endless() |
                     pl::interleave([](std::int64_t x) { return pl::range(x, x + 50); }, {.cycle_length = 8}) |
                     pl::batch(64),
                 20'000, with(threads)) < 8.0);
  }
  CHECK(growth(pl::range(static_cast<std::int64_t>(n)) | pl::shuffle(10'000, 3) | pl::batch<256>(), n / 256, with(0)) <
        8.0);
}

TEST_CASE("memory: a paused consumer, a fast source of large elements") {
  if (sanitized) return;
  const watchdog guard("memory: a paused consumer");
  const auto large = [](std::int64_t x) {
    return pl::tensor<std::int64_t>(pl::shape{1 << 17}, x);  // 1 MiB
  };
  for (const std::size_t threads : {1U, 4U}) {
    auto s = pl::run(pl::range(100'000) | pl::map(large), with(threads));
    REQUIRE(s.next().has_value());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const double early = resident_mib();
    for (int i = 0; i != 300; ++i) s.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(resident_mib() - early < 200);
  }
}
