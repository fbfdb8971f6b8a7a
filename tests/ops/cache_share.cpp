// cache(share): the same share of the elements is kept in every epoch, and shares that do not overlap divide them.
#include <plumbline/exec/run.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/timeline.hpp>

#include <ops/reference/cache_share.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <set>
#include <string>

using namespace plumbline_test;

namespace {
// Counts how often elements are made, and which.
struct counting_map {
  struct seen {
    std::mutex mutex;
    std::multiset<std::int64_t> made;
  };
  std::shared_ptr<seen> of = std::make_shared<seen>();
  std::int64_t operator()(std::int64_t x) const {
    const std::scoped_lock lock(of->mutex);
    of->made.insert(x);
    return x;
  }
};
template <class Stream> void epoch(Stream& s, const counting_map& f) {
  f.of->made.clear();
  for (const auto& x : s) (void)x;
}
}  // namespace

TEST_CASE("share: which elements it holds") {
  for (const double size : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    std::size_t n = 0;
    for (std::uint64_t i = 0; i != 100'000; ++i) n += pl::share(size).holds(i) ? 1 : 0;
    CHECK(static_cast<double>(n) == Approx(100'000 * size).margin(3));
  }
  // of any consecutive elements, however few, it holds what the size promises
  double worst = 0;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{123'456'789}})
    for (int begin = 0; begin != 20; ++begin)
      for (int end = begin; end <= 20; ++end) {
        const pl::share of(begin / 20.0, end / 20.0);
        double n = 0;
        for (std::uint64_t i = 0; i != 4000; ++i) {
          n += of.holds(first + i) ? 1 : 0;
          worst = std::max(worst, std::abs(n - static_cast<double>(i + 1) * of.size()));
        }
      }
  CHECK(worst < 5);
  // every element is in exactly one of the parts of the whole
  for (std::uint64_t i = 0; i != 10'000; ++i)
    CHECK(pl::share(0, 0.2).holds(i) + pl::share(0.2, 0.21).holds(i) + pl::share(0.21, 1).holds(i) == 1);
  static_assert(pl::share(1).holds(7) && !pl::share(0).holds(7));
  CHECK(to_string(pl::share(0.3)) == "30 %");
  CHECK(to_string(pl::share(0.25, 0.5)) == "25 % to 50 %");
  CHECK_THROWS_WITH(pl::share(1.1),
                    "plumbline: share(from, to): from is 0, to is 1.1; give 0 <= from <= to <= 1, in "
                    "parts of the whole");
  CHECK_THROWS_AS(pl::share(0.5, 0.4), std::invalid_argument);
  CHECK_THROWS_AS(pl::share(-0.1), std::invalid_argument);
  CHECK_THROWS_AS(pl::share(0, std::nan("")), std::invalid_argument);
}

TEST_CASE("cache(share): laws") {
  const auto square = [](std::int64_t x) { return x * x; };
  for (const double size : {0.0, 0.4, 1.0}) {
    op_laws(pl::range(40) | pl::map(square) | pl::cache(pl::share(size)));
    op_laws(pl::range(40) | pl::shuffle(1) | pl::map(square) | pl::cache(pl::share(size)) | pl::batch(7));
    op_laws(pl::range(40) | pl::map(square) | pl::cache(pl::share(size, 1)) | pl::map(square) |
            pl::cache(pl::share(size)) | pl::shuffle(2) | pl::repeat(2));
  }
}

TEST_CASE("cache(share): the same elements are kept in every epoch, whatever came first") {
  for (const std::size_t threads : {0U, 2U, 8U}) {
    const counting_map f;
    auto s = pl::run(pl::range(1000) | pl::shuffle(3) | pl::map(f) | pl::cache(pl::share(0.3)), {.threads = threads});
    for (int i = 0; i != 100; ++i) s.next();  // an epoch that is left early
    s.restart();
    while (s.next()) {
    }
    epoch(s, f);
    const auto made = f.of->made;
    std::multiset<std::int64_t> wanted;
    for (std::int64_t x = 0; x != 1000; ++x)
      if (!pl::share(0.3).holds(static_cast<std::uint64_t>(x))) wanted.insert(x);
    CHECK(made == wanted);
    epoch(s, f);
    CHECK(f.of->made == wanted);
  }
}

TEST_CASE("cache(share): caches on one way divide the elements") {
  for (const std::size_t threads : {0U, 2U}) {
    const counting_map read, decode;
    auto s = pl::run(pl::range(1000) | pl::shuffle(3) | pl::map(read) | pl::cache(pl::share(0.4, 0.9)) |
                         pl::shuffle(5) | pl::map(decode) | pl::cache(pl::share(0.4)) | pl::batch(10),
                     {.threads = threads});
    epoch(s, read);
    epoch(s, read);
    std::size_t neither = 0, read_only = 0;
    decode.of->made.clear();
    epoch(s, read);
    for (std::uint64_t i = 0; i != 1000; ++i) {
      neither += pl::share(0.9, 1).holds(i) ? 1 : 0;
      read_only += pl::share(0.4, 1).holds(i) ? 1 : 0;
    }
    CHECK(read.of->made.size() == neither);
    CHECK(decode.of->made.size() == read_only);
  }
}

namespace {
struct calls {
  std::atomic<std::uint64_t> text{0}, length{0}, square{0};
};
template <class Trace> void count_between_caches(std::size_t threads) {
  INFO(threads << " threads");
  calls made;
  const auto text = [&](std::int64_t x) {
    ++made.text;
    return std::string(static_cast<std::size_t>(x % 7 + 20), 'x');
  };
  const auto length = [&](const std::string& x) {
    ++made.length;
    return static_cast<std::int64_t>(x.size());
  };
  const auto square = [&](std::int64_t x) {
    ++made.square;
    return x * x;
  };
  auto s =
      pl::run<Trace>(pl::range(300) | pl::shuffle(1) | pl::map(text) | pl::cache(pl::share(0.6, 1)) | pl::map(length) |
                         pl::cache(pl::share(0.3, 0.6)) | pl::map(square) | pl::cache(pl::share(0.3)) | pl::batch(10),
                     {.threads = threads});
  for (int epoch = 0; epoch != 3; ++epoch) {
    for (const auto& x : s) (void)x;
    const auto t = s.traced();
    const auto counted = [&](std::size_t number) {
      const auto& c = t.counters[number - 1];
      return c.completions + c.unrecorded;
    };
    const auto bytes = [&](std::size_t number) {
      const auto& c = t.counters[number - 1];
      return c.bytes + c.unrecorded_bytes;
    };
    CHECK(counted(3) == made.text);
    CHECK(counted(5) == made.length);
    CHECK(counted(7) == made.square);
    CHECK(bytes(3) >= 20 * made.text);
    CHECK(bytes(3) <= 100 * made.text);
    CHECK(bytes(5) == 8 * made.length);
    CHECK(counted(8) == 300 * static_cast<std::uint64_t>(epoch + 1));
  }
  CHECK(made.text < 3 * 300);
}
}  // namespace

TEST_CASE("cache(share): operators between caches are counted for the elements that they make") {
  for (const std::size_t threads : {0U, 2U}) {
    count_between_caches<pl::tracing::counters>(threads);
    count_between_caches<pl::tracing::timeline>(threads);
  }
}

TEST_CASE("cache(share): in explain and in the memory that a plan counts") {
  const auto rows =
      pl::layout(pl::range(9) | pl::map([](std::int64_t x) { return x; }) | pl::cache(pl::share(0.2, 0.5)));
  CHECK(rows.back().name == "cache(20 % to 50 %)");
  CHECK(rows.back().keeps_share == Approx(0.3));
  CHECK(!rows.back().replays);
  // one that keeps all of them replays all: what is upstream of it runs once
  const auto all = pl::layout(pl::range(9) | pl::map([](std::int64_t x) { return x; }) | pl::cache(pl::share(1)));
  CHECK(all.back().replays);
  CHECK(!pl::layout(pl::range(9) | pl::cache(pl::share(0))).back().replays);
}
