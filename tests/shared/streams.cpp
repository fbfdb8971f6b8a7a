// run_shared with its jobs as threads of one process: what a job sees, whatever the others do.
#include "jobs.hpp"

#include <plumbline/ops/cache_in_shared_memory.hpp>

#include <support/tries.hpp>
#include <support/watchdog.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

const auto numbers = pl::range(40) | pl::shuffle(2) | pl::map([](std::int64_t i) { return i * 3; }) | pl::batch<4>();
auto options(const std::string& name, std::size_t jobs = 1) {
  return pl::shared_options{.name = own_name(name), .jobs = jobs, .run = {.threads = 2, .seed = 11}};
}
std::vector<std::uint64_t> epoch(std::uint64_t e) {
  std::vector<std::uint64_t> all;
  for (const auto& b : pl::run(numbers, {.threads = 1, .seed = 11, .first_epoch = e}))
    all.push_back(pl::detail::hash_of(b));
  return all;
}
auto rest_of(auto& s) {
  std::vector<std::uint64_t> all;
  while (const auto b = s.next()) all.push_back(pl::detail::hash_of(*b));
  return all;
}
std::vector<std::uint64_t> loop(auto& s) {
  std::vector<std::uint64_t> all;
  for (const auto& b : s) all.push_back(pl::detail::hash_of(b));
  return all;
}

}  // namespace

TEST_CASE("shared stream: one job is as run; next and loops") {
  watchdog limit("one job");
  auto s = pl::run_shared(numbers, options("one"));
  CHECK(loop(s) == epoch(0));
  CHECK(s.epoch() == 1);
  CHECK(s.next() == nullptr);  // until restart
  s.restart();
  CHECK(rest_of(s) == epoch(1));
  CHECK(loop(s) == epoch(2));
  const auto stats = s.stats();
  CHECK(stats.jobs == 1);
  CHECK(stats.prepares);
  CHECK(stats.prepared == 30);
  CHECK(stats.taken == 30);
  CHECK(stats.copied == 0);
}

TEST_CASE("shared stream: batches of structs are columns") {
  watchdog limit("columns");
  struct reading {
    int station;
    float celsius;
  };
  const auto p = pl::range(8) | pl::map([](std::int64_t i) {
                   return reading{static_cast<int>(i), 2.5F};
                 }) |
                 pl::batch<4>();
  auto s = pl::run_shared(p, options("columns"));
  int n = 0;
  for (const auto& [stations, celsius] : s) {
    CHECK((stations(3) == 4 * n + 3 && celsius(0) == 2.5F));
    ++n;
  }
  CHECK(n == 2);
  CHECK(s.stats().copied == 0);
}

TEST_CASE("shared stream: without threads, and from an epoch of choice") {
  watchdog limit("no threads");
  auto how = options("none");
  how.run.threads = 0;
  how.run.first_epoch = 5;
  auto s = pl::run_shared(numbers, how);
  CHECK(s.epoch() == 5);
  CHECK(loop(s) == epoch(5));
  CHECK(loop(s) == epoch(6));
}

TEST_CASE("shared stream: a loop takes the epoch that restart() has begun") {
  watchdog limit("restart, then a loop");
  auto s = pl::run_shared(numbers, options("restart, then a loop"));
  const auto prepared = [&](std::uint64_t n) {
    while (s.stats().prepared < n) std::this_thread::yield();
  };
  s.restart();
  prepared(1);  // it takes part in the epoch
  CHECK(loop(s) == epoch(0));
  s.restart();
  prepared(11);
  CHECK(s.next() != nullptr);
  CHECK(loop(s) == epoch(2));  // not what it has begun to take
}

TEST_CASE("shared stream: parts that are made elsewhere are counted as copied") {
  watchdog limit("copied");
  for (const std::size_t threads : {0U, 2U}) {
    CAPTURE(threads);
    auto how = options("copied");
    how.run.threads = threads;
    auto s = pl::run_shared(plumbline_test::rows(60), how);
    auto alone = pl::run(plumbline_test::rows(60), {.threads = 1, .seed = 11});
    CHECK(loop(s) == loop(alone));
    CHECK(s.stats().copied > 0);
  }
}

TEST_CASE("shared stream: long stretches without any element, and epochs without one") {
  watchdog limit("stretches");
  const auto kept = [](std::int64_t every) {
    return pl::range(20'000) | pl::filter([every](std::int64_t i) { return i % every == every - 1; }) |
           pl::map([](std::int64_t i) { return pl::tensor<float>({3}, static_cast<float>(i)); }) | pl::batch<2>();
  };
  for (const std::size_t threads : {0U, 1U, 2U})
    for (const std::size_t ahead : {1U, 3U})
      for (const std::int64_t every : {9'000, 40'000}) {
        CAPTURE(threads, ahead, every);
        auto how = options("stretches");
        how.run.threads = threads;
        how.run.chunk = 16;
        how.ahead = ahead;
        auto s = pl::run_shared(kept(every), how);
        auto alone = pl::run(kept(every), {.threads = 1, .seed = 11});
        CHECK(loop(s) == loop(alone));
        CHECK(loop(s) == loop(alone));
      }
}

TEST_CASE("shared stream: the first epoch waits for the jobs, and no longer than stated") {
  watchdog limit("first epoch");
  auto how = options("wait", 2);
  auto a = pl::run_shared(numbers, how);
  std::optional<std::vector<std::uint64_t>> got_a;
  std::thread first([&] { got_a = loop(a); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(a.stats().prepared == 0);
  auto b = pl::run_shared(numbers, how);
  const auto got_b = loop(b);
  first.join();
  CHECK(got_a == epoch(0));
  CHECK(got_b == epoch(0));
  CHECK(a.stats().prepared + b.stats().prepared == 10);
  CHECK(b.stats().jobs == 2);

  how = options("alone", 2);
  how.wait_seconds = 0.2;
  auto c = pl::run_shared(numbers, how);
  CHECK(loop(c) == epoch(0));
}

TEST_CASE("shared stream: a job that comes late joins with the next epoch") {
  watchdog limit("late");
  auto a = pl::run_shared(numbers, options("late"));
  REQUIRE(a.next() != nullptr);
  auto b = pl::run_shared(numbers, options("late"));
  b.restart();
  std::vector<std::uint64_t> late;
  std::uint64_t which = 0;
  std::thread second([&] {
    late = rest_of(b);
    which = b.epoch();
  });
  CHECK(rest_of(a).size() == 9);
  a.restart();
  CHECK(rest_of(a) == epoch(1));
  second.join();
  CHECK(late == epoch(1));
  CHECK(which == 2);
}

TEST_CASE("shared stream: jobs leave, in mid-epoch and while they prepare") {
  watchdog limit("leave");
  auto a = std::optional(pl::run_shared(numbers, options("leave", 2)));
  auto b = pl::run_shared(numbers, options("leave", 2));
  std::vector<std::uint64_t> got;
  std::thread other([&] {
    for (int e = 0; e != 3; ++e)
      for (const auto& x : b) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        got.push_back(pl::detail::hash_of(x));
      }
  });
  REQUIRE(a->next() != nullptr);
  CHECK(a->stats().prepares);
  a.reset();
  other.join();
  std::vector<std::uint64_t> all;
  for (std::uint64_t e = 0; e != 3; ++e)
    for (const auto h : epoch(e)) all.push_back(h);
  CHECK(got == all);
  CHECK(b.stats().prepares);
  CHECK(b.stats().jobs == 1);
}

TEST_CASE("shared stream: a job that restarts in mid-epoch leaves the rest of it to the others") {
  watchdog limit("restart");
  auto a = pl::run_shared(numbers, options("restart", 2));
  auto b = pl::run_shared(numbers, options("restart", 2));
  std::vector<std::uint64_t> second;
  std::thread other([&] {
    a.next();
    a.restart();
    second = rest_of(a);
  });
  CHECK(loop(b) == epoch(0));
  CHECK(loop(b) == epoch(1));
  other.join();
  CHECK(second == epoch(1));
  // alone, it ends the epoch
  auto c = pl::run_shared(numbers, options("restart alone"));
  REQUIRE(c.next() != nullptr);
  c.restart();
  CHECK(rest_of(c) == epoch(1));
  auto held = (c.restart(), c.next());
  CHECK_THAT(error_of([&] { c.restart(); }), Contains("held"));
  held = nullptr;
  c.restart();
  CHECK(rest_of(c) == epoch(3));
}

TEST_CASE("shared stream: the slowest job sets the pace") {
  watchdog limit("pace");
  auto how = options("pace", 2);
  how.ahead = 3;
  auto a = pl::run_shared(numbers, how), b = pl::run_shared(numbers, how);
  std::atomic<int> taken{0};
  std::thread fast([&] {
    while (a.next()) ++taken;
  });
  b.restart();
  while (taken < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(taken == 3);
  auto held = b.next();
  REQUIRE(b.next() != nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(taken == 3);  // as b still holds the first
  held = nullptr;
  CHECK(rest_of(b).size() == 8);
  fast.join();
  CHECK(taken == 10);
}

// Otherwise each batch takes up to 50 ms, until the preparer checks by itself.
TEST_CASE("shared stream: each batch that the slowest job gives back resumes a preparer that is waited for") {
  watchdog limit("given back");
  CHECK(holds_in_time("batches given back one by one", [](std::ostream& out) {
    auto how = options("given back", 2);
    how.ahead = 4;
    const auto p = plumbline_test::rows(100);  // copied, so that the preparer's thread publishes them
    auto a = pl::run_shared(p, how), b = pl::run_shared(p, how);
    std::atomic<int> taken{0};
    std::thread fast([&] {
      while (a.next()) ++taken;
    });
    b.restart();
    while (taken != 4) std::this_thread::yield();
    double waited = 0;
    for (int i = 1; i != 21; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other one waits
      const auto begin = std::chrono::steady_clock::now();
      b.next();
      while (taken != 4 + i) std::this_thread::yield();
      waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    b.stop();
    fast.join();
    out << waited << " s for 20 batches";
    return waited < 0.2;
  }));
}

// The preparer resumes when half of the room is free, or when a job waits: one that holds more than half would wait
// for ever if it did not ask.
TEST_CASE("shared stream: a job that holds all but one of `ahead` gets every batch") {
  watchdog limit("most held");
  const auto many = pl::range(1000) | pl::batch<1>();
  auto s = pl::run_shared(many, options("most held"));
  std::deque<std::shared_ptr<const pl::tensor<std::int64_t>>> held;
  std::int64_t next = 0;
  while (auto b = s.next()) {
    CHECK((*b)(0) == next++);
    held.push_back(std::move(b));
    if (held.size() == 7) held.pop_front();  // `ahead` is 8
  }
  CHECK(next == 1000);
}

TEST_CASE("shared stream: held batches stay as they are") {
  watchdog limit("held");
  auto how = options("held");
  how.ahead = 12;
  std::vector<std::shared_ptr<const pl::tensor<std::int64_t>>> held;
  {
    auto s = pl::run_shared(numbers, how);
    while (auto b = s.next()) held.push_back(std::move(b));
    std::vector<std::uint64_t> all;
    for (const auto& b : held) all.push_back(pl::detail::hash_of(*b));
    CHECK(all == epoch(0));
    held.erase(held.begin(), held.begin() + 5);  // in any order
    held.pop_back();
    s.restart();
    auto first = s.next();
    CHECK(pl::detail::hash_of(*first) == epoch(1)[0]);
  }
  std::vector<std::uint64_t> all;
  for (const auto& b : held) all.push_back(pl::detail::hash_of(*b));
  const auto right = epoch(0);
  CHECK(all == std::vector<std::uint64_t>(right.begin() + 5, right.end() - 1));
  const pl::tensor<std::int64_t> copy = *held[0];
  held.clear();
  CHECK(pl::detail::hash_of(copy) == right[5]);
}

TEST_CASE("shared stream: a batch that outlives its stream does not keep others from joining") {
  watchdog limit("outlives");
  std::shared_ptr<const pl::tensor<std::int64_t>> held;
  {
    auto s = pl::run_shared(numbers, options("outlives"));
    held = s.next();
  }
  auto s = pl::run_shared(numbers, options("outlives"));
  CHECK(loop(s) == epoch(0));
  CHECK(pl::detail::hash_of(*held) == epoch(0)[0]);
}

TEST_CASE("shared stream: what a function keeps of the preparer's batches outlives the stream") {
  watchdog limit("kept");
  std::mutex mutex;
  std::vector<pl::tensor<std::int64_t>> kept;
  const auto p = numbers | pl::map([&](pl::tensor<std::int64_t> b) {
                   const std::scoped_lock lock(mutex);
                   kept.push_back(std::move(b));
                   return static_cast<std::int64_t>(kept.size());
                 });
  for (int i = 0; i != 2; ++i) {  // by the same name: the first one's memory does not keep the second from it
    auto s = pl::run_shared(p, options("kept"));
    while (s.next() != nullptr) continue;
  }
  REQUIRE(kept.size() >= 20);
  std::vector<std::uint64_t> seen;
  for (const auto& b : kept) seen.push_back(pl::detail::hash_of(b));
  for (const auto& x : epoch(0)) CHECK(std::count(seen.begin(), seen.end(), x) >= 2);
  kept.clear();
}

TEST_CASE("shared stream: several threads of a job take its batches") {
  watchdog limit("threads");
  auto s = pl::run_shared(numbers, options("threads"));
  std::mutex mutex;
  std::multiset<std::uint64_t> got;
  std::vector<std::thread> team;
  for (int t = 0; t != 4; ++t)
    team.emplace_back([&] {
      while (const auto b = s.next()) {
        const std::scoped_lock lock(mutex);
        got.insert(pl::detail::hash_of(*b));
      }
    });
  for (auto& t : team) t.join();
  const auto all = epoch(0);
  CHECK(got == std::multiset<std::uint64_t>(all.begin(), all.end()));
}

TEST_CASE("shared stream: a failure reaches all jobs, with its operator and element") {
  watchdog limit("failure");
  const auto p = pl::range(40) | pl::map([](std::int64_t i) {
                   if (i == 21) throw std::runtime_error("not this one");
                   return i;
                 }) |
                 pl::batch<4>();
  auto a = pl::run_shared(p, options("failure", 2)), b = pl::run_shared(p, options("failure", 2));
  struct seen {
    int batches = 0;
    std::optional<pl::failure> failed{};
  };
  const auto sees = [](auto& s) {
    std::vector<seen> all;
    for (int epochs = 0; epochs != 2; ++epochs) {
      auto& now = all.emplace_back();
      try {
        for (const auto& x : s) now.batches += x.empty() ? 0 : 1;
      } catch (const pl::failure& f) {
        now.failed = f;
      }
    }
    return all;
  };
  std::vector<seen> of_a;
  std::thread other([&] { of_a = sees(a); });
  const auto of_b = sees(b);
  other.join();
  for (const auto& all : {of_a, of_b})
    for (const auto& [n, f] : all) {
      CHECK(n == 5);
      REQUIRE(f);
      CHECK(f->operator_name() == "map");
      CHECK(f->operator_number() == 2);
      CHECK(f->at().index == 21);
      CHECK_THAT(f->what(), Contains("map (operator 2 of 3) failed at element 21 of range") && Contains("not this"));
      CHECK_THROWS_WITH(f->rethrow_cause(), "not this one");
    }
}

TEST_CASE("shared stream: other pipelines, seeds and sources are refused by name") {
  watchdog limit("refused");
  auto a = pl::run_shared(numbers, options("mine"));
  auto how = options("mine");
  how.run.seed = 12;
  const auto seed = error_of([&] { pl::run_shared(numbers, how); });
  CHECK_THAT(seed, Contains("the jobs of \"mine") && Contains("run another pipeline: range | shuffle | map | batch, "
                                                              "seed 11. This one is range | shuffle | map | batch, "
                                                              "seed 12; give each pipeline a name of its own"));
  const auto other = pl::range(40) | pl::batch<4>();
  CHECK_THAT(error_of([&] { pl::run_shared(other, options("mine")); }), Contains("This one is range | batch"));
  const auto longer = pl::range(41) | pl::shuffle(2) | pl::map([](std::int64_t i) { return i * 3; }) | pl::batch<4>();
  CHECK_THAT(error_of([&] { pl::run_shared(longer, options("mine")); }), Contains("run another pipeline"));
  CHECK(loop(a) == epoch(0));  // undisturbed
}

TEST_CASE("shared stream: options are checked") {
  const auto why = [](auto change) {
    auto how = options("checked");
    change(how);
    return error_of([&] { pl::run_shared(numbers, how); });
  };
  CHECK_THAT(why([](auto& o) { o.name = ""; }), Contains("set `name`"));
  CHECK_THAT(why([](auto& o) { o.jobs = 0; }), Contains("jobs is 0; give 1 to 64"));
  CHECK_THAT(why([](auto& o) { o.jobs = static_cast<std::size_t>(-1); }), Contains("jobs is -1"));
  CHECK_THAT(why([](auto& o) { o.ahead = 0; }), Contains("ahead is 0; give 1 to 1024"));
  CHECK_THAT(why([](auto& o) { o.wait_seconds = -1; }), Contains("wait_seconds is -1"));
  CHECK_THAT(why([](auto& o) { o.stuck_seconds = 0; }), Contains("stuck_seconds is 0"));
  CHECK_THAT(why([](auto& o) { o.run.order = pl::unordered; }), Contains("unordered"));
  CHECK_THAT(why([](auto& o) { o.run.parallelism = {{"nothing", 1}}; }), Contains("no such operator"));
}

TEST_CASE("shared stream: stop ends the wait of another thread") {
  watchdog limit("stop");
  auto how = options("stop", 2);
  auto s = pl::run_shared(numbers, how);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    s.stop();
  });
  CHECK(s.next() == nullptr);
  other.join();
  CHECK_THROWS_AS(s.restart(), std::logic_error);
  // a thread that had not come so far when it was stopped
  auto t = pl::run_shared(numbers, options("stop first"));
  t.stop();
  CHECK(t.next() == nullptr);
}

TEST_CASE("shared stream: what all jobs hold is bounded, and used again") {
  watchdog limit("memory");
  const auto large = pl::range(400) | pl::map([](std::int64_t i) {
                       return pl::tensor<float>({256, 256}, static_cast<float>(i));
                     }) |
                     pl::batch<4>();  // of 1 MiB
  auto s = pl::run_shared(large, options("memory"));
  for (int e = 0; e != 2; ++e)
    for (const auto& b : s) CHECK(b(0, 0, 0) == b(0, 255, 255));
  CHECK(s.stats().copied == 0);
  // the file behind the descriptor that children do not keep
  std::uint64_t blocks = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    if (std::filesystem::read_symlink(entry.path(), none).string().find("memfd:plumbline") == std::string::npos)
      continue;
    struct stat is {};
    REQUIRE(::stat(entry.path().c_str(), &is) == 0);
    blocks = static_cast<std::uint64_t>(is.st_blocks) * 512;
  }
  CHECK(blocks > (std::uint64_t{2} << 20));
  CHECK(blocks < (std::uint64_t{40} << 20));  // of the 200 MiB that went through
}

TEST_CASE("shared stream: a child of fork holds nothing of its parent's") {
  watchdog limit("fork");
  auto a = std::optional(pl::run_shared(numbers, options("fork", 2)));
  auto b = pl::run_shared(numbers, options("fork", 2));
  std::vector<std::uint64_t> of_b;
  std::thread other([&] { of_b = loop(b); });
  REQUIRE(a->next() != nullptr);
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char right = 'n';
    try {
      a->next();
    } catch (const std::logic_error& e) {
      right = std::string(e.what()).find("fork()") != std::string::npos ? 'y' : 'w';
    }
    static_cast<void>(!::write(ready[1], &right, 1));
    ::pause();  // while the parent's jobs end
  }
  char right = 0;
  REQUIRE(::read(ready[0], &right, 1) == 1);
  CHECK(right == 'y');
  CHECK(rest_of(*a).size() == 9);
  other.join();
  CHECK(of_b == epoch(0));
  a.reset();
  CHECK(b.stats().jobs == 1);
  CHECK(loop(b) == epoch(1));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("shared stream: a child of fork that drops what is in shared memory closes no file of its own") {
  watchdog limit("fork, files");
  std::vector<pl::tensor<std::int64_t>> kept;
  const auto keep = [&](pl::tensor<std::int64_t> b) {
    kept.push_back(std::move(b));
    return static_cast<std::int64_t>(kept.size());
  };
  auto how = options("fork, files");
  how.run.threads = 1;  // that calls the function
  auto s = pl::run_shared(numbers | pl::map(keep), how);
  while (s.next() != nullptr) continue;
  s = {};  // the tensors are the last that need the shared memory
  const pid_t child = ::fork();
  if (child == 0) {
    std::array<int, 16> own{};  // with the numbers of the parent's files among theirs
    for (int& fd : own) fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    kept.clear();
    ::_exit(std::ranges::all_of(own, [](int fd) { return ::fcntl(fd, F_GETFD) >= 0; }) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("shared stream: the rest of an epoch that no job wants is not prepared again") {
  watchdog limit("not again");
  const auto made = std::make_shared<std::atomic<int>>(0);
  const auto work = pl::range(40'000) | pl::filter([made](std::int64_t) { return ++*made != 0; }) | pl::batch<4>();
  auto how = options("not again", 1);
  how.ahead = 2;
  auto a = std::optional(pl::run_shared(work, how));
  for (int k = 0; k != 9'000; ++k) REQUIRE(a->next() != nullptr);
  auto b = pl::run_shared(work, how);
  b.restart();  // joins with the next epoch
  CHECK(a->stats().prepares);
  a.reset();
  const int before = *made;  // no thread of it is left
  CHECK(b.next() != nullptr);
  CHECK(b.epoch() == 1);
  CHECK(*made - before < 20'000);  // of the 36,000 that were made before
}

TEST_CASE("run_shared: a cache in shared memory outlives the job that prepared") {
  watchdog limit("shared cache");
  const auto made = std::make_shared<std::atomic<int>>(0);
  const auto work = [&] {
    return pl::range(40) | pl::map([made](std::int64_t i) {
             ++*made;
             return i;
           }) |
           pl::cache(pl::shared_memory(own_name("kept")), pl::bytes(1 << 20)) | pl::batch<4>();
  };
  const pl::shared_options how{.name = own_name("outlives"), .jobs = 1, .run = {.threads = 2}};
  auto a = std::optional(pl::run_shared(work(), how));
  for (const auto& b : *a) CHECK(b.size() == 4);
  CHECK(*made == 40);
  CHECK(a->stats().prepares);
  auto other = pl::run_shared(work(), how);
  a.reset();
  std::size_t n = 0;
  for (const auto& b : other) n += b.size();
  CHECK(n == 40);
  CHECK(*made == 40);
}
