#include <atomic>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>
#include <thread>

using namespace plumbline_test;

namespace {
const auto copies = [](std::int64_t x) { return pl::range(6) | pl::map([x](std::int64_t) { return x; }); };
// n has n elements: n * 100, n * 100 + 1, ...
const auto own = [](std::int64_t n) { return pl::range(n * 100, n * 100 + n); };
}  // namespace

TEST_CASE("interleave: the example of tf.data's documentation") {
  // "Dataset.range(1, 6)", each element repeated 6 times, cycle_length = 2, block_length = 4
  const auto p = pl::range(1, 6) | pl::interleave(copies, {.cycle_length = 2, .block_length = 4});
  CHECK(joined(shown(p), 99) ==
        "[1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5]");
  op_laws(p);
}

TEST_CASE("interleave: streams of different lengths, empty ones among them") {
  // cycle 2: [ ] and [100]; then [200 201] takes the place of the empty one when its turn comes again
  const auto p = pl::range(4) | pl::interleave(own, {.cycle_length = 2});
  CHECK(joined(shown(p), 99) == "[100, 200, 201, 300, 301, 302]");
  const auto q = pl::range(4) | pl::interleave(own, {.cycle_length = 3});
  CHECK(joined(shown(q), 99) == "[100, 200, 300, 201, 301, 302]");
  op_laws(p);
  op_laws(q);
  op_laws(pl::range(9) | pl::interleave(own, {.cycle_length = 1}));
  op_laws(pl::range(9) | pl::interleave(own, {.cycle_length = 20, .block_length = 3}));
  op_laws(pl::range(0) | pl::interleave(own));
  op_laws(serial(23) | pl::interleave(own, {.cycle_length = 5, .block_length = 2}));
}

TEST_CASE("interleave: a block holds block_length elements, however the inner stream makes them") {
  // streams that make several elements at once must not give more than their block
  const auto pairs = [](std::int64_t x) {
    return pl::range(3) | pl::flat_map([x](std::int64_t i) { return std::vector<std::int64_t>(5, 10 * x + i); });
  };
  const auto p = pl::range(2) | pl::interleave(pairs, {.cycle_length = 2, .block_length = 2});
  CHECK(joined(shown(p, 8), 99) == "[0, 0, 10, 10, 0, 0, 10, 10]");
  op_laws(p);
  const auto shuffled = [](std::int64_t x) { return pl::range(10 * x, 10 * x + 7) | pl::shuffle(4, 1); };
  op_laws(pl::range(5) | pl::interleave(shuffled, {.cycle_length = 2, .block_length = 3}));
}

TEST_CASE(
    "interleave: with threads, streams are opened before their turn, and their errors are reported at their turn") {
  const watchdog guard("interleave: ahead");
  std::atomic<std::int64_t> opened{0};
  const auto long_ones = [&opened](std::int64_t n) {
    opened = n + 1;
    return pl::range(n, n + 100'000'000);
  };
  // as many ahead as there are in the cycle; none without threads
  for (const auto threads : {0U, 1U, 3U}) {
    opened = 0;
    auto s = pl::run(pl::range(100) | pl::interleave(long_ones, {.cycle_length = 3, .block_length = 2}), with(threads));
    for (int i = 0; i != 10; ++i) REQUIRE(s.next());
    const int open = threads == 0 ? 3 : 6;
    while (opened < open) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(opened == open);
  }
  // opening ahead delays neither the first element nor the end of the stream: one is open before it, and one or two
  // more are opened meanwhile, where 16 or 20 would be if it did
  CHECK(holds_in_time("the first element while streams are opened", [](auto& measured) {
    std::atomic<int> calls{0};
    int at_first = 0;
    const auto slowly = [&calls](std::int64_t n) {
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return pl::range(n, n + 100'000'000);
    };
    {
      auto how = with(2);
      how.chunk = 1;
      auto s = pl::run(pl::range(100) | pl::interleave(slowly, {.cycle_length = 16}), how);
      REQUIRE(s.next());
      at_first = calls;
    }
    measured << at_first << " opened before it, " << calls << " in all";
    return at_first <= 8 && calls <= 12;
  }));
  // if a stream cannot be opened, all elements before its turn are delivered
  const auto fails_at = [](std::int64_t bad) {
    return [bad](std::int64_t n) {
      if (n == bad) throw std::runtime_error("cannot be opened");
      return pl::range(n * 10, n * 10 + 4);
    };
  };
  for (const auto threads : {0U, 1U, 4U})
    for (const std::int64_t bad : {0, 1, 2, 5, 9}) {
      const auto p = pl::range(10) | pl::interleave(fails_at(bad), {.cycle_length = 2, .block_length = 2});
      std::vector<std::int64_t> before;
      auto s = pl::run(p, with(threads));
      try {
        while (auto x = s.next()) before.push_back(*x);
        FAIL("nothing was thrown");
      } catch (const pl::failure& f) {
        CHECK_THAT(f.what(), Catch::Contains("failed at element " + std::to_string(bad) + " of range") &&
                                 Catch::Contains("cannot be opened"));
      }
      // two at a time, alternately two elements of each: streams 2k and 2k + 1 end before the next two begin
      std::vector<std::int64_t> want;
      for (std::int64_t k = 0; k < bad; k += 2)
        for (const std::int64_t part : {0, 2})
          for (const std::int64_t n : {k, k + 1})
            for (const std::int64_t i : {0, 1})
              if (n != bad && (k + 1 != bad || part == 0)) want.push_back(n * 10 + part + i);
      CHECK(before == want);
    }
}

TEST_CASE("interleave inside interleave") {
  const auto inner = [](std::int64_t x) {
    return pl::range(4) |
           pl::interleave([x](std::int64_t y) { return pl::range(100 * x + 10 * y, 100 * x + 10 * y + 3); },
                          {.cycle_length = 2, .block_length = 1});
  };
  const auto p = pl::range(3) | pl::interleave(inner, {.cycle_length = 2, .block_length = 2});
  CHECK(joined(shown(p, 6), 99) == "[0, 10, 100, 110, 1, 11]");
  op_laws(p);
  const auto expanding = [](std::int64_t x) {
    return pl::range(3) | pl::interleave(
                              [x](std::int64_t y) {
                                return pl::range(2) | pl::flat_map([=](std::int64_t z) {
                                         return std::vector<std::int64_t>{100 * x + 10 * y + z, -z, -x};
                                       });
                              },
                              {.cycle_length = 2, .block_length = 2});
  };
  op_laws(pl::range(4) | pl::interleave(expanding, {.cycle_length = 3, .block_length = 1}));
}

TEST_CASE("interleave: random and shuffled streams within and around") {
  const auto noisy = [](std::int64_t x) {
    return pl::range(8) |
           pl::map([x](std::int64_t i, pl::rng& r) { return x + i + static_cast<std::int64_t>(r.below(1'000'000)); });
  };
  op_laws(pl::range(6) | pl::shuffle(3) | pl::interleave(noisy, {.cycle_length = 3}));
  op_laws(pl::range(6) | pl::interleave(noisy, {.cycle_length = 3}) | pl::repeat(3) |
          pl::map([](std::int64_t x, pl::rng& r) { return x * 7 + static_cast<std::int64_t>(r.below(1000)); }));
  op_laws(pl::range(5) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::shuffle(5) | pl::repeat(2); }));
}

TEST_CASE("interleave: endless inner streams, and an endless outer stream") {
  const auto endless = [](std::int64_t x) { return pl::range(x, x + 3) | pl::repeat(); };
  const auto p = pl::range(0, 30) | pl::skip(10) | pl::interleave(endless, {.cycle_length = 2});
  CHECK(joined(shown(p | pl::take(6)), 99) == "[10, 11, 11, 12, 12, 13]");
  op_laws(p | pl::take(50));
  op_laws(serial_endless() | pl::interleave(own, {.cycle_length = 3, .block_length = 2}) | pl::take(100));
  // none is opened, so the stream ends: its facts must not say that it is endless
  op_laws(serial(0) | pl::interleave(endless));
  op_laws(serial(0) | pl::flat_map(endless) | pl::batch(4));
  CHECK((serial(0) | pl::flat_map(endless)).facts().count == pl::cardinality::unknown());
}

TEST_CASE("interleave: streams that block") {
  const auto slow = [](std::int64_t x) {
    return waiting(x + 3) | pl::map([x](std::int64_t i) { return 100 * x + i; });
  };
  op_laws(pl::range(7) | pl::interleave(slow, {.cycle_length = 3, .block_length = 2}));
  op_laws(waiting(7) | pl::interleave(slow, {.cycle_length = 9}));
}

TEST_CASE("flat_map: a stream, or a plain range, of each element") {
  const auto doubled = [](std::int64_t x) { return std::vector<std::int64_t>{x, 10 * x}; };
  CHECK(joined(shown(pl::range(1, 4) | pl::flat_map(doubled)), 99) == "[1, 10, 2, 20, 3, 30]");
  CHECK(joined(shown(pl::range(4) | pl::flat_map(own)), 99) == "[100, 200, 201, 300, 301, 302]");
  op_laws(pl::range(40) | pl::flat_map(doubled));
  op_laws(serial(40) | pl::flat_map(doubled) | pl::enumerate());
  op_laws(pl::range(12) | pl::flat_map(own));
  op_laws(pl::range(0) | pl::flat_map(own));
  op_laws(pl::range(300) | pl::flat_map([](std::int64_t x) {
            return std::vector<std::string>(static_cast<std::size_t>(x % 4), std::to_string(x));
          }) |
          pl::flat_map([](std::string s) { return std::vector<char>(s.begin(), s.end()); }) |
          pl::map([](char c, pl::rng& r) { return static_cast<int>(c) + static_cast<int>(r.below(100'000)); }));
}

TEST_CASE("flat_map: elements are not moved out of a range that does not own them") {
  const auto shared = std::make_shared<std::vector<std::vector<std::string>>>(
      std::vector<std::vector<std::string>>{{"a long string that is on the heap", "b"}, {"c"}, {}});
  const auto p = pl::range(3) | pl::flat_map([shared](std::int64_t i) {
                   return std::span<std::string>((*shared)[static_cast<std::size_t>(i)]);
                 });
  CHECK(joined(shown(p)) == R"(["a long string that is on the heap", "b", "c"])");
  CHECK(joined(shown(p)) == R"(["a long string that is on the heap", "b", "c"])");
}

TEST_CASE("interleave: invalid options") {
  CHECK_THROWS_AS(pl::interleave(own, {.cycle_length = 0}), std::invalid_argument);
  CHECK_THROWS_AS(pl::interleave(own, {.block_length = 0}), std::invalid_argument);
}
