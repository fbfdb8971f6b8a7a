// Caches over streams that are not made by index: a whole epoch is kept in its order, and only a whole one.
#include <plumbline/ops/cache_on_disk.hpp>

#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace plumbline_test;

namespace {

const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };

template <class P> std::vector<texts> epochs_of(const P& p, std::size_t threads, int epochs = 2) {
  std::vector<texts> all;
  auto s = pl::run(p, with(threads));
  for (int i = 0; i != epochs; ++i) {
    if (i != 0) s.restart();
    all.push_back(drained(s));
  }
  return all;
}
// Counts the elements that it makes, and sets `stop` when it makes element number `at`.
struct stopping_map {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::function<void()>> stop = std::make_shared<std::function<void()>>();
  int at = -1;
  std::int64_t operator()(std::int64_t x) const {
    if (++*made == at && *stop) (*stop)();
    return x;
  }
};

}  // namespace

TEST_CASE("cache on disk: what a run without random draws has kept, other runs draw from as if it were made anew") {
  const temp_folder at;
  int n = 0;
  const auto check = [&](const auto& source) {
    for (const std::size_t threads : {0U, 2U}) {
      const auto kept = source | pl::cache(at / std::to_string(n++));
      REQUIRE(epochs_of(kept, threads, 1)[0].size() > 30);
      CHECK(epochs_of(kept | pl::map(jitter), threads) == epochs_of(source | pl::map(jitter), threads));
    }
  };
  check(serial(40) | pl::map(square));
  check(pl::range(40) | pl::filter([](std::int64_t x) { return x != 3; }));
  check(pl::range(9) | pl::flat_map([](std::int64_t x) { return std::vector<std::int64_t>(5, x); }));
  check(serial(20) | pl::repeat(2) | pl::prefetch(4));
}

TEST_CASE("cache on disk: a folder may be used behind other sources than those that it was filled behind") {
  const temp_folder at;
  int n = 0;
  for (const std::size_t threads : {0U, 2U}) {
    const auto check = [&](const auto& source) {
      const auto other = serial(10) | pl::map(square);
      const auto alone = [&](const auto& p) { return p | pl::map(jitter); };
      const auto behind = [&](const auto& p) { return pl::concat(other, p) | pl::map(jitter); };
      const auto far = [&](const auto& p) { return pl::concat(other, other, p) | pl::map(jitter); };
      const auto each = [&](const auto&... f) {
        const auto kept = source | pl::cache(at / std::to_string(n++));
        const auto same = [&](const auto& g) {
          CHECK(epochs_of(g(kept), threads, 3) == epochs_of(g(source), threads, 3));
        };
        (same(f), ...);
      };
      each(alone, behind, far);
      each(far, behind, alone);
    };
    check(serial(30) | pl::map(square));
    check(serial(7) | pl::repeat(3));
    check(pl::concat(serial(7) | pl::repeat(3), serial(5)));
  }
}

TEST_CASE("cache on disk: an epoch that is stopped is not kept as a whole one") {
  const temp_folder at;
  int n = 0;
  const auto many = [](std::int64_t) {
    std::vector<std::int64_t> all(2500);
    for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    return all;
  };
  const auto check = [&](const auto& elements, std::size_t threads, int stop_at) {
    stopping_map f;
    f.at = stop_at;
    const auto p = elements | pl::map(f) | pl::cache(at / std::to_string(n++));
    {
      auto s = pl::run(p, {.threads = threads, .chunk = 16});
      *f.stop = [&s] { s.stop(); };
      while (s.next()) {
      }
      *f.stop = nullptr;
    }
    CHECK(*f.made < 2500);
    std::vector<std::int64_t> all;
    for (const auto x : pl::run(p, {.threads = threads})) all.push_back(x);
    std::vector<std::int64_t> expected(2500);
    for (std::size_t i = 0; i != expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
    CHECK(all.size() == expected.size());
    CHECK((all == expected));
  };
  for (const std::size_t threads : {0U, 2U})
    for (const int stop_at : {1, 70, 1000}) {
      check(pl::range(1) | pl::flat_map(many), threads, stop_at);
      check(pl::range(2500) | pl::filter([](std::int64_t) { return true; }), threads, stop_at);
      check(serial(2500), threads, stop_at);
      check(serial(2500) | pl::prefetch(100), threads, stop_at);
    }
}

TEST_CASE("cache: zip and choose_from see the end of streams that they leave after their last element") {
  for (const std::size_t threads : {0U, 2U}) {
    stopping_map f;
    const auto made = [&](const auto& p, int epochs = 1) {
      *f.made = 0;
      auto s = pl::run(p, {.threads = threads, .chunk = 1});
      std::size_t n = 0;
      for (int i = 0; i != epochs; ++i) {
        if (i != 0) s.restart();
        while (s.next()) ++n;
      }
      CHECK(n == 60);
      return f.made->load();
    };
    const auto unknown = [&](std::int64_t n) {  // how many elements, the type does not know
      return serial(n) | pl::map(f) | pl::filter([](std::int64_t) { return true; });
    };
    CHECK(made(pl::zip(pl::range(20), unknown(20) | pl::cache()) | pl::repeat(3)) == 20);
    CHECK(made(pl::zip(pl::range(20) | pl::take(20), unknown(20) | pl::cache() | pl::map(square)), 3) == 20);
    CHECK(made(pl::zip(unknown(20) | pl::cache() | pl::skip(0), unknown(20) | pl::cache()), 3) == 40);
    CHECK(made(pl::zip(pl::range(60) | pl::batch(3), unknown(60) | pl::cache() | pl::batch(3)), 3) == 60);
    CHECK(made(pl::zip(pl::range(20), pl::zip(pl::range(20), unknown(20) | pl::cache())), 3) == 20);
    CHECK(made(pl::zip(pl::range(20), pl::concat(unknown(10) | pl::cache(), unknown(10) | pl::cache())), 3) == 20);
    CHECK(made(pl::zip(pl::range(20), unknown(10) | pl::cache() | pl::repeat(2)), 3) == 10);
    const auto turns = pl::range(20) | pl::map([](std::int64_t i) { return i % 2; });
    CHECK(made(pl::choose_from(turns, unknown(10) | pl::cache(), unknown(10) | pl::cache()), 3) == 20);
    const auto some = [](std::int64_t x) { return x < 20; };  // the end is far
    CHECK(made(pl::zip(pl::range(20), serial(300) | pl::map(f) | pl::filter(some) | pl::cache()), 3) == 300);
    if (threads != 0) continue;  // elements are made ahead
    // a stream that has more elements is left
    CHECK(made(pl::zip(pl::range(20), unknown(30) | pl::cache()), 3) <= 3 * 21);
    const auto fails = [&](std::int64_t x) {
      if (x == 20) throw std::runtime_error("twenty");
      return f(x);
    };
    CHECK(made(pl::zip(pl::range(20), serial(30) | pl::map(fails) | pl::cache()), 3) == 60);
  }
}
TEST_CASE("cache: streams that are asked for their end satisfy the laws") {
  const auto kept = serial(20) | pl::cache() | pl::map(jitter);
  op_laws(pl::zip(pl::range(20), kept));
  op_laws(pl::zip(pl::range(20), pl::zip(pl::range(20), kept) | pl::batch(1)) | pl::repeat(2));
  op_laws(
      pl::choose_from(pl::range(20) | pl::map([](std::int64_t i) { return i % 2; }), kept, serial(10) | pl::cache()));
}
TEST_CASE("cache: a sequence that is left half read, in runs of all kinds") {
  const auto check = [](auto traced) {
    for (const std::size_t threads : {0U, 2U}) {
      const auto p = serial(5000) | pl::cache() | pl::map(square);
      auto s = pl::run<decltype(traced)>(p, {.threads = threads, .chunk = 4});
      CHECK(s.next() == 0);
      s.restart();
      CHECK(s.next() == 0);
      auto t = pl::run<decltype(traced)>(p | pl::take(10) | pl::repeat(2), {.threads = threads});
      CHECK(drained(t).size() == 20);
      auto u = pl::run<decltype(traced)>(pl::zip(pl::range(7), p) | pl::repeat(3), {.threads = threads});
      CHECK(drained(u).size() == 21);
    }
  };
  check(pl::tracing::off());
  check(pl::tracing::counters());
}
