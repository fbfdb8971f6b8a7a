// Errors: what a user's function, a source or an operator throws reaches the consumer as `failure`, after exactly the
// elements before it, for any number of threads and any chunk size.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <atomic>
#include <list>
#include <thread>

using namespace plumbline_test;

namespace {

struct oops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws at x == bad, in every epoch.
template <int Id = 0> auto fails_at(std::int64_t bad) {
  return [bad](std::int64_t x) {
    if (x == bad) throw oops("oops at " + std::to_string(x) + (Id == 0 ? "" : ", number " + std::to_string(Id)));
    return x;
  };
}

struct expected_failure {
  std::string op;
  std::uint32_t number;
  std::uint64_t index;
  std::uint64_t rounds = 1;  // epochs of the source per epoch of the stream
  std::uint64_t span = 1;    // the failure may name any of this many elements, from `index` on
  std::string in{};          // the operator that opened the stream in which `op` failed
};

// The elements that the reference gives before it throws, and what it throws.
template <class P> std::pair<texts, std::string> before_error(const P& p, std::uint64_t epoch) {
  const auto next = pulled(p, where{7, epoch});
  texts out;
  try {
    while (auto x = next()) out.push_back(text(x->value));
  } catch (const std::exception& e) {
    return {out, e.what()};
  }
  return {out, {}};
}

// Checks that a pipeline gives the elements before its error, then a failure with the right message and position, then
// nothing; and the same after a restart.
template <class P> void fails_like_the_reference(const P& p, expected_failure want) {
  std::pair<texts, std::string> expected[3];
  for (std::uint64_t e = 0; e != 3; ++e) {
    expected[e] = before_error(p, e);
    REQUIRE_FALSE(expected[e].second.empty());
  }
  for (const std::size_t threads : {0U, 1U, 2U, 3U, 8U}) {
    for (const std::optional<std::size_t> chunk : {std::optional<std::size_t>{}, {1}, {7}, {256}}) {
      const auto how = with(threads, chunk);
      auto s = pl::run(p, how);
      for (std::uint64_t epoch = 0; epoch != 3; ++epoch) {
        INFO(described(how, "epoch " + std::to_string(epoch)));
        if (epoch != 0) s.restart();
        const auto& [elements, what] = expected[epoch];
        texts got;
        bool failed = false;
        try {
          while (auto x = s.next()) got.push_back(text(*x));
        } catch (const pl::failure& f) {
          failed = true;
          INFO(f.what());
          CHECK(f.operator_name() == want.op);
          CHECK(f.operator_number() == want.number);
          CHECK(f.at().index >= want.index);
          CHECK(f.at().index < want.index + want.span);
          CHECK(f.at().epoch == epoch * want.rounds);
          CHECK((want.span > 1 || std::string(f.what()).find(what) != std::string::npos));
          const std::string what_is = f.what();
          CHECK(what_is.rfind("plumbline: " + want.op + (want.in.empty() ? "" : " in " + want.in) + " (operator " +
                                  std::to_string(want.number),
                              0) == 0);
          CHECK_THROWS(f.rethrow_cause());
        }
        REQUIRE(failed);
        REQUIRE(difference(got, elements) == std::string());
        CHECK_FALSE(s.next().has_value());
        CHECK_FALSE(s.next().has_value());
      }
    }
  }
}

const auto identity = [](std::int64_t x) { return x; };
const auto to_text = [](std::int64_t x) { return std::to_string(x); };

auto failing_source(std::int64_t n, std::int64_t bad) {
  return pl::generate([n, bad, i = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
    if (i == bad) throw oops("the source broke");
    return i < n ? std::optional(i++) : std::nullopt;
  });
}

// A range whose iterators throw.
struct breaking_range {
  int bad;
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int at = 0, bad = 0;
    int operator*() const { return at; }
    iterator& operator++() {
      if (++at == bad) throw oops("the iterator broke");
      return *this;
    }
    iterator operator++(int) {
      auto old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at == b.at; }
  };
  iterator begin() const { return {0, bad}; }
  iterator end() const { return {100, bad}; }
};

struct cannot_open : pl::source_base {
  using element = std::int64_t;
  static constexpr std::string_view name = "cannot_open";
  static constexpr pl::stream_facts type_facts{};
  static constexpr bool blocking = true;
  pl::stream_facts facts() const { return {}; }
  struct reader {
    std::optional<std::int64_t> next() { return std::nullopt; }
  };
  reader open(std::uint64_t) const { throw oops("no such file"); }
};

// Throws at element 3 of its first epoch, but not before `go` is set.
struct late : pl::source_base {
  using element = std::int64_t;
  static constexpr std::string_view name = "late";
  static constexpr pl::stream_facts type_facts{};
  std::atomic<bool>* reached;
  std::atomic<bool>* go;
  pl::stream_facts facts() const { return {}; }
  struct reader {
    const late* of;
    std::uint64_t epoch;
    std::int64_t i = 0;
    std::optional<std::int64_t> next() {
      if (epoch == 0 && i == 3) {
        of->reached->store(true);
        while (!of->go->load()) std::this_thread::yield();
        throw oops("too late");
      }
      return i < 10 ? std::optional(i++) : std::nullopt;
    }
  };
  reader open(std::uint64_t epoch) const { return {this, epoch}; }
};

template <class P> void drained_all(const P& p, std::size_t threads) {
  auto s = pl::run(p, with(threads));
  while (s.next()) {
  }
}

}  // namespace

TEST_CASE("failures: map, filter, generate, from_range") {
  const watchdog guard("failures: map, filter, generate, from_range");
  fails_like_the_reference(pl::range(500) | pl::map(fails_at(300)), {"map", 2, 300});
  fails_like_the_reference(pl::range(500) | pl::map(fails_at(0)), {"map", 2, 0});
  fails_like_the_reference(serial(500) | pl::filter([](std::int64_t x) {
                             if (x == 77) throw oops("bad");
                             return x % 3 != 0;
                           }) | pl::map(identity),
                           {"filter", 2, 77});
  fails_like_the_reference(pl::generate(500,
                                        [](std::uint64_t i) {
                                          if (i == 77) throw oops("bad");
                                          return i;
                                        }),
                           {"generate", 1, 77});
  fails_like_the_reference(failing_source(500, 77) | pl::map(identity), {"generate", 1, 77});
  fails_like_the_reference(pl::from_range(breaking_range{77}) | pl::map([](int x) { return x; }),
                           {"from_range", 1, 77});
}

TEST_CASE("failures: the error of the first element is reported, whichever was thrown first") {
  const watchdog guard("failures: the first error");
  fails_like_the_reference(failing_source(500, 77) | pl::map(fails_at(50)), {"map", 2, 50});
  fails_like_the_reference(failing_source(500, 77) | pl::map(fails_at<1>(76)) |
                               pl::filter([](std::int64_t) { return true; }) | pl::enumerate() |
                               pl::map([](std::pair<std::uint64_t, std::int64_t> x) {
                                 if (x.first == 70) throw oops("later operator, earlier element");
                                 return x.second;
                               }),
                           {"map", 5, 70});
  fails_like_the_reference(pl::range(500) | pl::map(fails_at<1>(77)) | pl::shuffle(10, 1) | pl::map(fails_at<2>(20)),
                           {"map", 4, 20});
}

TEST_CASE("failures: streams that end before the error never report it") {
  const watchdog guard("failures: streams that end before the error");
  for (const std::uint64_t n : {1U, 50U, 77U}) {
    op_laws(failing_source(500, 77) | pl::take(n));
    op_laws(pl::range(500) | pl::map(fails_at(77)) | pl::take(n));
    op_laws(pl::range(500) | pl::map(fails_at(77)) | pl::filter([](std::int64_t) { return true; }) | pl::take(n) |
            pl::map(identity));
    op_laws(pl::range(500) | pl::flat_map([](std::int64_t x) {
              if (x == 11) throw oops("never met");
              return std::vector<std::int64_t>(7, x);
            }) |
            pl::take(n));
  }
}

// Counts down like take, and throws at its last element.
struct throws_at_last : pl::op_base {
  static constexpr std::string_view name = "throws_at_last";
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in) { return in; }
  template <class In> struct kernel {
    std::uint64_t left = 5;
    kernel(const throws_at_last&, const pl::stream_context&) {}
    std::uint64_t demand() const { return left; }
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (--left == 0) throw oops("at its last");
      emit(std::move(x), at);
    }
  };
};

TEST_CASE("failures: at the last element of a stream, as at any other") {
  const watchdog guard("failures: at the last element");
  fails_like_the_reference(serial(500) | pl::take(5) | pl::map(fails_at(4)), {"map", 3, 4});
  fails_like_the_reference(
      serial(500) | pl::filter([](std::int64_t x) { return x % 2 == 0; }) | pl::take(5) | pl::map(fails_at(8)),
      {"map", 4, 8});
  fails_like_the_reference(
      serial(500) | pl::take(5) | pl::shuffle(2, 1) | pl::take(5) | pl::map(fails_at(4)) | pl::batch(1), {"map", 5, 4});
  fails_like_the_reference(serial(12) | pl::skip(2) | pl::map(fails_at(11)), {"map", 3, 11});
  fails_like_the_reference(
      pl::zip(serial(5), serial(9)) | pl::map([](auto x) { return std::get<0>(x); }) | pl::map(fails_at(4)),
      {"map", 5, 4});
  for (const std::size_t threads : {0U, 1U, 2U}) {
    auto s = pl::run(serial(500) | throws_at_last{}, with(threads));
    std::size_t n = 0;
    CHECK_THROWS_AS(
        [&] {
          while (s.next()) ++n;
        }(),
        pl::failure);
    CHECK(n == 4);
  }
}

TEST_CASE("failures: under joins, the elements before the error come first") {
  const watchdog guard("failures: under joins");
  const auto bad = pl::range(500) | pl::map(fails_at(77));
  fails_like_the_reference(pl::zip(bad, serial(400)), {"map", 2, 77});
  fails_like_the_reference(pl::zip(serial(400), bad), {"map", 3, 77});
  fails_like_the_reference(pl::zip(pl::range(500), bad), {"map", 3, 77});
  fails_like_the_reference(pl::zip(bad, serial(77)), {"map", 2, 77});  // requested first
  op_laws(pl::zip(serial(77), bad));                                   // never requested
  fails_like_the_reference(pl::zip(failing_source(500, 77), failing_source(500, 80)), {"generate", 1, 77});
  fails_like_the_reference(pl::concat(serial(33), bad), {"map", 3, 77});
  fails_like_the_reference(pl::concat(pl::range(33), bad) | pl::map(identity), {"map", 3, 77});
}

TEST_CASE("failures: interleave and flat_map: their function, and the streams that it returns") {
  const watchdog guard("failures: interleave and flat_map");
  const auto three = [](std::int64_t x) { return pl::range(10 * x, 10 * x + 3); };
  const auto breaks = [](std::int64_t x) {
    if (x == 40) throw oops("no stream");
    return pl::range(10 * x, 10 * x + 3);
  };
  fails_like_the_reference(pl::range(100) | pl::interleave(breaks, {.cycle_length = 3}), {"interleave", 2, 40});
  fails_like_the_reference(pl::range(100) | pl::flat_map(breaks) | pl::map(identity), {"flat_map", 2, 40});
  fails_like_the_reference(pl::range(100) | pl::map(fails_at(40)) | pl::interleave(three, {.cycle_length = 3}),
                           {"map", 2, 40});
  fails_like_the_reference(failing_source(100, 40) | pl::flat_map(three), {"generate", 1, 40});
  fails_like_the_reference(pl::range(100) | pl::flat_map([](std::int64_t x) {
                             if (x == 40) throw oops("no range");
                             return std::vector<std::int64_t>(3, x);
                           }),
                           {"flat_map", 2, 40});
  // in an inner stream: the element of the outer stream, and the number of the operator that opened the inner one
  fails_like_the_reference(
      pl::range(100) |
          pl::interleave([](std::int64_t x) { return pl::range(10 * x, 10 * x + 5) | pl::map(fails_at(402)); },
                         {.cycle_length = 3, .block_length = 2}),
      {"map", 2, 40, 1, 1, "interleave"});
  fails_like_the_reference(pl::range(100) | pl::flat_map([](std::int64_t x) {
                             return pl::range(5) | pl::flat_map([x](std::int64_t y) {
                                      if (10 * x + y == 402) throw oops("deep");
                                      return std::vector<std::int64_t>(3, x);
                                    });
                           }),
                           {"flat_map", 2, 40});
}

TEST_CASE("failures: a range that throws while flat_map iterates over it") {
  const watchdog guard("failures: a range that throws");
  fails_like_the_reference(pl::range(100) | pl::flat_map([](std::int64_t x) {
                             return breaking_range{x == 40 ? 1 : 1000};
                           }) | pl::filter([](int y) { return y < 2; }),
                           {"flat_map", 2, 40});
}

TEST_CASE("failures: an element of flat_map's container that throws when it is moved out") {
  const watchdog guard("failures: throwing move");
  struct fragile {
    std::int64_t x = 0;
    explicit fragile(std::int64_t i) : x(i) {}
    fragile(const fragile&) = default;
    fragile(fragile&& other) : x(other.x) {  // NOLINT
      if (x == 402) throw oops("it broke when moved");
    }
    fragile& operator=(const fragile&) = default;
  };
  fails_like_the_reference(pl::range(100) | pl::flat_map([](std::int64_t x) {
                             std::list<fragile> all;
                             for (std::int64_t i = 0; i != 3; ++i) all.emplace_back(10 * x + i);
                             return all;
                           }) | pl::map([](const fragile& f) { return f.x; }),
                           {"flat_map", 2, 40});
}

TEST_CASE("failures: batches before the one that fails are complete") {
  const watchdog guard("failures: batch");
  // the elements of a batch are put into their slots in any order, so the failure may name any of them
  const auto shape = [](std::int64_t x) { return pl::tensor<float>({x == 45 ? 3U : 2U}, 1.0F); };
  fails_like_the_reference(pl::range(100) | pl::map(shape) | pl::batch(7), {"batch", 3, 42, 1, 7});
  fails_like_the_reference(
      serial(100) | pl::filter([](std::int64_t x) { return x >= 0; }) | pl::map(shape) | pl::batch(7),
      {"batch", 4, 42, 1, 7});
  fails_like_the_reference(pl::range(100) | pl::map(fails_at(45)) | pl::batch(7), {"map", 2, 45});
  fails_like_the_reference(pl::range(100) | pl::map(fails_at(45)) | pl::map(to_text) | pl::batch(7), {"map", 2, 45});
}

TEST_CASE("failures: in epochs of a repeat, under a cache, a shuffle, a prefetch") {
  const watchdog guard("failures: in epochs of a repeat");
  fails_like_the_reference(pl::range(100) | pl::map(fails_at(45)) | pl::cache() | pl::map(identity), {"map", 2, 45});
  fails_like_the_reference(failing_source(100, 45) | pl::prefetch(5) | pl::map(identity), {"generate", 1, 45});
  fails_like_the_reference(pl::range(100) | pl::enumerate() | pl::repeat(3) | pl::enumerate() |
                               pl::map([](std::pair<std::uint64_t, std::pair<std::uint64_t, std::int64_t>> x) {
                                 if (x.first == 70) throw oops("bad");
                                 return x.first;
                               }),
                           {"map", 5, 70, 3});
}

TEST_CASE("failures: a source that cannot be opened") {
  const watchdog guard("failures: a source that cannot be opened");
  for (const std::size_t threads : {0U, 1U, 4U}) {
    auto s = pl::run(pl::from(cannot_open{}) | pl::map(identity), with(threads));
    for (int epoch = 0; epoch != 3; ++epoch) {
      try {
        s.next();
        FAIL("it did not throw");
      } catch (const pl::failure& f) {
        CHECK(f.operator_name() == "cannot_open");
        CHECK(f.operator_number() == 1);
        CHECK(std::string(f.what()).find("no such file") != std::string::npos);
      }
      CHECK_FALSE(s.next().has_value());
      s.restart();
    }
    auto nested =
        pl::run(pl::range(5) | pl::interleave([](std::int64_t) { return pl::from(cannot_open{}); }), with(threads));
    CHECK_THROWS_AS(nested.next(), pl::failure);
    auto joined_up = pl::run(pl::concat(serial(3), pl::from(cannot_open{})), with(threads));
    for (int i = 0; i != 3; ++i) CHECK(joined_up.next() == i);
    CHECK_THROWS_AS(joined_up.next(), pl::failure);
  }
}

TEST_CASE("failures: every consumer thread gets it once, until an epoch begins") {
  const watchdog guard("failures: every consumer thread");
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(pl::range(300) | pl::map(fails_at(200)), with(threads, 7));
    for (int epoch = 0; epoch != 3; ++epoch) {
      std::atomic<int> elements{0}, failures{0}, ends{0};
      std::vector<std::string> texts(4);
      const auto take = [&](std::string& text) {
        for (bool failed = false;;) {
          try {
            if (!s.next()) {
              ends += failed;
              return;
            }
            ++elements;
          } catch (const pl::failure& f) {
            failed = true;
            ++failures;
            text = f.what();
          }
        }
      };
      {
        std::vector<std::jthread> consumers;
        for (std::size_t i = 0; i != 3; ++i) consumers.emplace_back([&, i] { take(texts[i]); });
      }
      take(texts[3]);  // one that comes when the others are gone
      CHECK(elements == 200);
      CHECK(failures == 4);
      CHECK(ends == 4);
      for (const auto& text : texts) CHECK_THAT(text, Catch::Contains("oops at 200"));
      s.restart();
    }
    s.stop();
    CHECK_FALSE(s.next().has_value());
  }
}

TEST_CASE("failures: an error that was not reached is not reported in the next epoch") {
  const watchdog guard("failures: an error that was not reached");
  for (const std::size_t threads : {0U, 1U, 4U}) {
    auto s = pl::run(pl::range(300) | pl::filter([](std::int64_t) { return true; }) | pl::map(fails_at(200)),
                     with(threads, 256));
    for (int epoch = 0; epoch != 20; ++epoch) {
      for (std::int64_t i = 0; i != 100; ++i) REQUIRE(s.next() == i);
      if (epoch % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the error is pending
      s.restart();
    }
  }
}

TEST_CASE("failures: an error in an abandoned epoch is discarded with it") {
  const watchdog guard("failures: an error in an abandoned epoch");
  // The source throws in epoch 0 only after epoch 1 has been requested; epoch 1 must not fail.
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> reached{false}, go{false};
    auto s = pl::run(pl::from(late{{}, &reached, &go}) | pl::map(identity), with(2, 1));
    CHECK(s.next() == 0);
    while (!reached) std::this_thread::yield();
    s.restart();
    go = true;
    for (int epoch = 1; epoch != 4; ++epoch) {
      CHECK(joined(drained(s)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
      s.restart();
    }
  }
}

TEST_CASE("failures: an element downstream of take or shuffle keeps its index, with and without threads") {
  const watchdog guard("failures: indices downstream of take");
  const auto shaped = [](std::int64_t x) { return pl::tensor<float>({std::size_t(x == 7 ? 3 : 2)}, 1.F); };
  for (const std::size_t threads : {0U, 2U}) {
    CHECK_THROWS_WITH(drained_all(serial(40) | pl::map(shaped) | pl::take(20) | pl::batch(4), threads),
                      Catch::Contains("failed at element 7 of generate"));
    CHECK_THROWS_WITH(drained_all(serial(40) | pl::map(shaped) | pl::shuffle(1, 1) | pl::batch(4), threads),
                      Catch::Contains("failed at element 7 of generate"));
  }
}

// An error that was found ahead keeps its place, though the state is saved before it is reported.
TEST_CASE("failures: a state that is saved does not lose an error that waits") {
  const auto failing = [](std::int64_t n) {
    return [n](std::int64_t x) {
      if (x == n) throw oops("there it is");
      return x;
    };
  };
  const auto elements_before = [](auto& s, bool saves) {
    std::size_t came = 0;
    CHECK_THROWS_AS(
        [&] {
          while (s.next()) {
            ++came;
            if (saves) (void)s.save();
          }
        }(),
        pl::failure);
    return came;
  };
  const auto keeps_it = [&](const auto& p) {
    auto unsaved = pl::run(p, with(0));
    const auto n = elements_before(unsaved, false);
    for (const std::size_t threads : {0U, 1U, 2U})
      for (const std::size_t chunk : {1U, 4U, 64U}) {
        auto how = with(threads, chunk);
        how.saves = true;
        INFO(described(how, "saved after each element"));
        auto s = pl::run(p, how);
        CHECK(elements_before(s, true) == n);
      }
    return n;
  };
  for (const std::int64_t bad : {0, 1, 7, 150}) {
    CHECK(keeps_it(pl::zip(serial(200), serial(200) | pl::map(failing(bad)))) == static_cast<std::size_t>(bad));
    keeps_it(serial(200) | pl::map(failing(bad)) | pl::interleave([](std::int64_t) { return pl::range(5); }));
    keeps_it(pl::choose_from(serial(200) | pl::map([](std::int64_t) { return 0; }), serial(200) | pl::map(failing(bad)),
                             serial(200)));
  }
}

TEST_CASE("failures: a stream that cannot begin fails when its first element is needed") {
  for (const std::size_t threads : {0U, 2U}) {
    INFO(threads << " threads");
    const auto broken = pl::from(cannot_open{});
    auto s = pl::run(pl::choose_from(pl::elements(std::vector<int>{0, 0, 0}), pl::range(3), broken), with(threads));
    for (std::int64_t x = 0; x != 3; ++x) CHECK(s.next() == x);
    auto first = pl::run(pl::choose_from(pl::elements(std::vector<int>{0, 1}), pl::range(3), broken), with(threads));
    CHECK(first.next() == 0);
    CHECK_THROWS_AS(first.next(), pl::failure);
  }
}
