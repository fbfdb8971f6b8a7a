// Streams that are destroyed, stopped, moved, or shared by several consumers.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <random>

using namespace plumbline_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

std::size_t threads_of_process() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& t : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}
double milliseconds_since(steady::time_point t) {
  return std::chrono::duration<double, std::milli>(steady::now() - t).count();
}

const auto square = [](std::int64_t x) { return x * x; };
const auto slow = [](std::int64_t x) {
  std::this_thread::sleep_for(3ms);
  return x;
};
const auto busy = [](std::int64_t x) {
  const auto until = steady::now() + 2ms;
  while (steady::now() < until) {
  }
  return x;
};

// A pipeline whose streams are to be destroyed, with the duration of its longest user function.
struct specimen {
  std::string name;
  double longest_ms;
  std::function<pl::stream<std::int64_t>(const pl::run_options&)> open;
};
template <class P> specimen of(std::string name, double longest_ms, P p) {
  return {std::move(name), longest_ms, [p = std::move(p)](const pl::run_options& o) { return pl::run(p, o); }};
}
const auto first_of = [](const pl::tensor<std::int64_t>& t) { return t.data()[0]; };

std::vector<specimen> specimens() {
  const auto inner = [](std::int64_t n) { return pl::range(n % 7) | pl::map(square); };
  std::vector<specimen> all;
  all.push_back(
      of("numeric", 0, pl::range(100'000) | pl::map(square) | pl::filter([](std::int64_t x) { return x % 3 == 0; })));
  all.push_back(of("slow map", 3, pl::range(1000) | pl::map(slow)));
  all.push_back(of("busy map after a shuffle", 2, pl::range(1000) | pl::shuffle(3) | pl::map(busy)));
  all.push_back(of("blocking source", 2, waiting(10'000, 2ms) | pl::map(square)));
  all.push_back(of("blocking source, fast", 0, waiting(100'000) | pl::batch(7) | pl::map(first_of)));
  all.push_back(of("interleave", 0, serial_endless() | pl::interleave(inner, {.cycle_length = 4, .block_length = 2})));
  all.push_back(of("interleave of blocking streams", 1,
                   pl::range(10'000) | pl::interleave([](std::int64_t) { return waiting(20, 1ms); })));
  all.push_back(of("interleave of slow streams", 3,
                   pl::range(10'000) | pl::interleave([](std::int64_t) { return pl::range(2000) | pl::map(slow); })));
  all.push_back(of("zip", 1,
                   pl::zip(waiting(10'000, 1ms), pl::range(50'000) | pl::map(square)) |
                       pl::map([](std::tuple<std::int64_t, std::int64_t> t) { return std::get<1>(t); })));
  all.push_back(of("shuffle buffer", 0, pl::range(100'000) | pl::map(square) | pl::shuffle(5000, 1)));
  all.push_back(of("endless repeat", 0, serial(7) | pl::map(square) | pl::repeat() | pl::batch(5) | pl::map(first_of)));
  all.push_back(of("endless and nothing comes out", 0,
                   serial_endless() | pl::filter([](std::int64_t x) { return x < 3; }) | pl::map(square)));
  all.push_back(of("endless repeat by index", 0, pl::range(9) | pl::repeat() | pl::skip(100) | pl::map(square)));
  all.push_back(of("cache under repeat", 0, serial(5000) | pl::cache() | pl::repeat() | pl::shuffle(100, 2)));
  all.push_back(of("slow source, endless", 1,
                   pl::generate([i = std::int64_t{0}]() mutable {
                     std::this_thread::sleep_for(1ms);
                     return std::optional(i++);
                   }) | pl::map(square) |
                       pl::prefetch(10)));
  all.push_back(of("texts in batches", 0,
                   pl::range(100'000) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::batch(16) |
                       pl::map([](std::vector<std::string> b) { return static_cast<std::int64_t>(b.size()); })));
  return all;
}

}  // namespace

TEST_CASE("lifecycle: 1,000 streams destroyed after a random number of elements") {
  const watchdog guard("1,000 streams destroyed");
  const auto all = specimens();
  {  // makes TBB's pool start the threads that it keeps, so that they are not counted below
    auto s = pl::run(pl::range(1000) | pl::map(square), with(8));
    drained(s);
  }
  const std::size_t before = threads_of_process();
  std::mt19937 random(12345);
  double worst = 0;
  int late = 0;
  std::string worst_is;
  for (int i = 0; i != 1000; ++i) {
    const auto& one = all[random() % all.size()];
    const auto how = with(1 + random() % 8, random() % 2 == 0 ? std::optional<std::size_t>() : 1 + random() % 64);
    const std::size_t n = one.longest_ms == 0 ? random() % 300 : random() % 4;
    const bool none_comes = one.name == "endless and nothing comes out";
    std::optional<pl::stream<std::int64_t>> s(one.open(how));
    for (std::size_t k = 0; k != (none_comes ? std::min<std::size_t>(n, 3) : n); ++k)
      if (!s->next()) break;
    if (random() % 4 == 0) s->restart();
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    const auto since = steady::now();
    s.reset();
    const double took = milliseconds_since(since) - one.longest_ms;
    if (took > 500) ++late;
    if (took > worst) {
      worst = took;
      worst_is = described(how, one.name) + ", after " + std::to_string(n);
    }
  }
  INFO("slowest destruction, without its longest user function: " << worst_is << ", ms " << worst);
  // at most 50 ms each on an idle machine (bench/memory measures that); here other processes may use the cores
  INFO("later than 500 ms: " << late);
  CHECK(late <= (sanitized ? 100 : 50));  // one of the sixteen pipelines would be late 60 times
  CHECK(worst < (sanitized ? 20'000 : 5000));
  INFO("threads before " << before << ", after " << threads_of_process());
  CHECK(threads_of_process() <= before + 8);  // TBB's pool may have grown for eight threads
}

TEST_CASE("lifecycle: without threads, few elements are made ahead if they are slow, and none if chunk is 1") {
  std::int64_t made = 0;
  const auto p = pl::range(6000) | pl::map([&made](std::int64_t x) {
                   if (x >= 3000) std::this_thread::sleep_for(200us);
                   return made = x + 1;
                 });
  auto s = pl::run(p, with(0));
  std::int64_t most_ahead = 0;
  for (std::int64_t i = 1; i <= 5000; ++i) {
    REQUIRE(s.next() == i);
    if (i > 4500) most_ahead = std::max(most_ahead, made - i);
  }
  CHECK(most_ahead <= 64);
  auto one = with(0);
  one.chunk = 1;
  auto t = pl::run(pl::range(100) | pl::map([&made](std::int64_t x) { return made = x + 1; }), one);
  for (std::int64_t i = 1; i <= 100; ++i) {
    REQUIRE(t.next() == i);
    CHECK(made == i);
  }
  for (const std::size_t chunk : {3U, 1000U, 1024U, 5000U}) {
    one.chunk = chunk;
    made = most_ahead = 0;
    auto u =
        pl::run(pl::range(100'000) | pl::map([&made](std::int64_t x) { return ++made, x; }) | pl::batch(1024), one);
    for (std::int64_t given = 0; const auto b = u.next();) {
      given += static_cast<std::int64_t>(b->size());
      most_ahead = std::max(most_ahead, made - given);
    }
    CHECK(most_ahead <= static_cast<std::int64_t>(std::min<std::size_t>(chunk, 1024)));
  }
}

TEST_CASE("lifecycle: a stream whose elements become slow ends promptly too") {
  const watchdog guard("a stream whose elements become slow");
  const auto turns = [](std::int64_t x) {
    if (x >= 20'000) std::this_thread::sleep_for(10ms);
    return x;
  };
  const auto source = pl::generate([turns, i = std::int64_t{0}]() mutable { return std::optional(turns(i++)); });
  const auto check = [&](const std::string& what, auto p) {
    for (const std::size_t threads : {1U, 4U}) {
      std::optional<pl::stream<std::int64_t>> s(pl::run(p, with(threads)));
      for (std::int64_t i = 0; i != 13'000; ++i) REQUIRE(s->next() == i);
      std::this_thread::sleep_for(30ms);  // by now it is processing slow elements
      const auto since = steady::now();
      s.reset();
      INFO(what << ", threads " << threads);
      CHECK(milliseconds_since(since) < 20'000);  // some 10; its elements would take 10,000 s
    }
  };
  check("map", pl::range(1'000'000) | pl::map(turns));
  check("map of a serial source", serial_endless() | pl::map(turns));
  check("source", source | pl::map([](std::int64_t x) { return x; }));
  check("source before a serial operator", source | pl::shuffle(1, 1));
  check("within flat_map",
        pl::range(1) | pl::flat_map([&](std::int64_t) { return pl::range(1'000'000) | pl::map(turns); }));
}

TEST_CASE("lifecycle: stop() from another thread while consumers wait") {
  const watchdog guard("stop() from another thread");
  int late = 0;
  for (int round = 0; round != 50; ++round) {
    auto s = pl::run(pl::range(1000) | pl::map([](std::int64_t x) {
                       if (x >= 10) std::this_thread::sleep_for(20ms);
                       return x;
                     }),
                     with(2));
    std::vector<std::thread> consumers;
    std::atomic<int> left{0};
    for (int i = 0; i != 3; ++i)
      consumers.emplace_back([&] {
        while (s.next()) {
        }
        ++left;
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 5));
    const auto since = steady::now();
    s.stop();
    for (auto& t : consumers) t.join();
    if (milliseconds_since(since) > (sanitized ? 5000 : 1000)) ++late;  // about 20 ms; all elements take 10,000
    CHECK(left == 3);
    CHECK_FALSE(s.next().has_value());
    CHECK_THROWS_WITH(s.restart(),
                      "plumbline: restart: this stream was stopped, which is permanent; run the pipeline again");
    CHECK_THROWS_AS(s.restart(3), std::logic_error);
    CHECK_THROWS_WITH(s.load(pl::stream_state()), Catch::StartsWith("plumbline: load: this stream was stopped"));
    CHECK_FALSE(s.next().has_value());
    for ([[maybe_unused]] const auto x : s) FAIL("a stopped stream made an element");
  }
  CHECK(late <= 10);  // other processes may use the cores
}

TEST_CASE("lifecycle: a loop after restart() runs the epoch that it began") {
  for (const std::size_t threads : {0U, 2U}) {
    const auto p = pl::range(60) | pl::shuffle(3);
    const auto epoch = [&](auto& s) {
      std::vector<std::int64_t> all;
      for (const auto x : s) all.push_back(x);
      return all;
    };
    std::vector<std::vector<std::int64_t>> is;
    auto all = pl::run(p, with(threads));
    for (int e = 0; e != 7; ++e) is.push_back(epoch(all));
    auto s = pl::run(p, with(threads));
    s.restart(5);
    CHECK(s.epoch() == 5);
    CHECK(epoch(s) == is[5]);
    CHECK(epoch(s) == is[6]);  // a loop begins one by itself
    s.restart(0);
    CHECK(epoch(s) == is[0]);
    s.restart();
    CHECK(epoch(s) == is[1]);
    s.restart(3);
    CHECK(s.next() == is[3][0]);
    CHECK(epoch(s) == is[4]);  // something of epoch 3 was taken
    s.restart(2);
    s.restart(3);
    const auto state = s.save();
    CHECK(epoch(s) == is[3]);
    s.restart(1);
    s.load(state);
    CHECK(epoch(s) == is[3]);
  }
}

TEST_CASE("lifecycle: stop() of a stream without threads, from another thread") {
  const watchdog guard("stop() of a stream without threads");
  auto s = pl::run(serial_endless() | pl::filter([](std::int64_t) { return false; }), with(0));
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    s.stop();
  });
  CHECK_FALSE(s.next().has_value());
  stopper.join();
}

TEST_CASE("lifecycle: a stream used in a child of fork() throws at once") {
  const watchdog guard("fork");
  // runs `does` in a child process and returns the child's exit status
  const auto in_child = [](auto&& does) {
    const auto child = fork();
    if (child == 0) {
      alarm(20);
      _exit(does());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const auto refused = [](auto&& call) {
    try {
      call();
    } catch (const std::logic_error& e) {
      return std::string(e.what()).find("fork() does not copy its threads") != std::string::npos ? 0 : 2;
    }
    return 3;
  };
  for (const bool begun : {false, true}) {
    std::optional s(pl::run(pl::range(100'000) | pl::map(square), with(2)));
    if (begun) CHECK(s->next() == 0);
    CHECK(in_child([&] { return refused([&] { s->next(); }); }) == 0);
    CHECK(in_child([&] { return refused([&] { s->restart(); }); }) == 0);
    CHECK(in_child([&] { return refused([&] { s->save(); }); }) == 0);
    CHECK(in_child([&] {
            return refused([&] {
              for (auto x : *s) static_cast<void>(x);
            });
          }) == 0);
    CHECK(in_child([&] { return s->stop(), s.reset(), 0; }) == 0);
    CHECK(s->next() == (begun ? 1 : 0));
  }
  // continues a loop that the parent began
  auto s = pl::run(pl::range(100'000) | pl::map(square), with(2));
  auto i = s.begin();
  CHECK(in_child([&] {
          return refused([&] {
            while (i != s.end()) ++i;
          });
        }) == 0);
  // a stream without threads works in the child
  auto alone = pl::run(pl::range(3), with(0));
  CHECK(alone.next() == 0);
  CHECK(in_child([&] { return alone.next() == 1 ? 0 : 1; }) == 0);
}

// Messages that are no longer wanted are returned while the consumer waits for the first one of the new epoch, and its
// thread sends the next ones to the I/O threads.
TEST_CASE("lifecycle: a stream whose functions run on I/O threads is restarted in mid-epoch") {
  const watchdog guard("restarts of a blocking stream");
  const auto sometimes_slow = [](std::int64_t x) {
    if (x % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    return square(x);
  };
  for (const auto order : {pl::output_order::kept, pl::output_order::unordered}) {
    auto how = with(2, 3);
    how.order = order;
    auto s = pl::run(pl::range(200) | pl::map(pl::blocking(sometimes_slow)), how);
    for (std::size_t i = 0; i != 300; ++i) {
      std::int64_t sum = 0;
      std::size_t n = 0;
      for (; n != i % 201; ++n) sum += s.next().value_or(-1'000'000'000);
      if (n == 200) CHECK(sum == 2'646'700);
      if (order == pl::output_order::kept) {
        const auto m = static_cast<std::int64_t>(n);
        CHECK(sum == m * (m - 1) * (2 * m - 1) / 6);
      }
      s.restart();
    }
  }
}

TEST_CASE("lifecycle: several consumers: each element exactly once") {
  const watchdog guard("several consumers");
  for (const std::size_t threads : {0U, 1U, 4U}) {
    auto s = pl::run(pl::range(20'000) | pl::map(square) | pl::enumerate(), with(threads));
    for (int epoch = 0; epoch != 3; ++epoch) {
      if (epoch != 0) s.restart();
      std::vector<std::atomic<int>> seen(20'000);
      std::vector<std::thread> consumers;
      for (int i = 0; i != 5; ++i)
        consumers.emplace_back([&] {
          while (auto x = s.next()) ++seen[static_cast<std::size_t>(x->first)];
        });
      for (auto& t : consumers) t.join();
      CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
    }
  }
}

TEST_CASE("lifecycle: each of several consumers gets a failure, after all elements before it") {
  const watchdog guard("a failure goes to each of several consumers");
  for (int round = 0; round != 20; ++round) {
    auto s = pl::run(pl::range(2000) | pl::map([](std::int64_t x) {
                       if (x == 1500) throw std::runtime_error("bad");
                       return x;
                     }),
                     with(3));
    std::atomic<int> failed{0}, got{0};
    std::vector<std::thread> consumers;
    for (int i = 0; i != 4; ++i)
      consumers.emplace_back([&] {
        try {
          while (s.next()) ++got;
        } catch (const pl::failure&) {
          ++failed;
        }
      });
    for (auto& t : consumers) t.join();
    CHECK(failed == 4);
    CHECK(got == 1500);
  }
}

TEST_CASE("lifecycle: nothing starts before the first element is requested") {
  std::atomic<int> made{0};
  const auto p = pl::range(100) | pl::map([&](std::int64_t x) {
                   ++made;
                   return x;
                 });
  {
    auto s = pl::run(p, with(4));
    std::this_thread::sleep_for(5ms);
    CHECK(made == 0);
    s.stop();
    CHECK_FALSE(s.next().has_value());
  }
  CHECK(made == 0);
}

TEST_CASE("lifecycle: many streams at once") {
  const watchdog guard("many streams at once");
  const auto p = serial(3000) | pl::map(square) | pl::shuffle(50, 1) | pl::batch(16) | pl::map(first_of);
  const auto want = reference_texts(p, {7, 0});
  std::vector<pl::stream<std::int64_t>> all;
  for (std::size_t i = 0; i != 20; ++i) all.push_back(pl::run(p, with(1 + i % 4)));
  std::vector<texts> got(20);
  for (bool some = true; some;) {
    some = false;
    for (std::size_t i = 0; i != 20; ++i)
      if (auto x = all[i].next()) {
        got[i].push_back(text(*x));
        some = true;
      }
  }
  for (const auto& g : got) CHECK(difference(g, want) == std::string());
}

TEST_CASE("lifecycle: a stream fed by another stream") {
  const watchdog guard("a stream fed by another stream");
  auto inner = std::make_shared<pl::stream<std::int64_t>>(pl::run(pl::range(5000) | pl::map(square), with(2)));
  auto outer =
      pl::run(pl::generate([inner] { return inner->next(); }) | pl::map([](std::int64_t x) { return x + 1; }), with(2));
  std::int64_t n = 0;
  while (auto x = outer.next()) {
    REQUIRE(*x == n * n + 1);
    ++n;
  }
  CHECK(n == 5000);
}

TEST_CASE("lifecycle: a stream as a class member, moved") {
  const watchdog guard("a stream as a class member");
  struct loader {
    pl::stream<std::int64_t> numbers;
    std::int64_t sum(std::size_t n) {
      std::int64_t s = 0;
      for (std::size_t i = 0; i != n; ++i) s += numbers.next().value();
      return s;
    }
  };
  loader a{pl::run(pl::range(1000) | pl::map(square), with(2))};
  CHECK(a.sum(3) == 0 + 1 + 4);
  loader b = std::move(a);
  CHECK(b.sum(2) == 9 + 16);
  b.numbers = pl::run(serial(10) | pl::repeat(), with(0));  // a stream of another pipeline
  CHECK(b.sum(12) == 45 + 0 + 1);
  a = std::move(b);
  CHECK(a.sum(1) == 2);
}

TEST_CASE("lifecycle: a stream that was moved from throws when used") {
  auto s = pl::run(pl::range(3), {.threads = 0});
  auto t = std::move(s);
  CHECK_THROWS_AS(s.epoch(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  CHECK_THROWS_AS(s.traced(), std::logic_error);
  CHECK_THROWS_AS(s.record(true), std::logic_error);
  CHECK_NOTHROW(s.stop());
  CHECK(t.next() == 0);
}

TEST_CASE("lifecycle: a stream is a member of a class, whatever pipeline it is assigned") {
  struct loader {
    pl::any_stream<std::int64_t> numbers;
  } l;
  CHECK_THROWS_WITH(l.numbers.next(), Catch::Matchers::Contains("this stream is empty"));
  CHECK_NOTHROW(l.numbers.stop());
  l.numbers = pl::run(pl::range(3), {.threads = 0});
  CHECK(l.numbers.next() == 0);
  l.numbers = pl::run(pl::range(5, 9) | pl::filter([](std::int64_t x) { return x > 6; }), {.threads = 2});
  CHECK(l.numbers.next() == 7);
}
