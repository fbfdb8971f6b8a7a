// cache(shared_memory): what one pipeline keeps, the others find, within the limit.
#include <plumbline/ops/cache_in_shared_memory.hpp>

#include <plumbline/exec/run.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/sources.hpp>

#include <ops/reference/cache_in_shared_memory.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

using namespace plumbline_test;
using namespace pl::literals;
using Catch::Matchers::Contains;

namespace {

// Counts how often elements are made.
struct counting_map {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  std::string operator()(std::int64_t x) const {
    ++*made;
    return std::to_string(x) + std::string(static_cast<std::size_t>(100 + x % 7), 'x');
  }
};
// Runs an epoch, which must give the texts of these numbers in any order; returns how many were made.
template <class S> int made_in_epoch(S& s, const counting_map& f, std::int64_t n) {
  const int before = *f.made;
  std::map<std::string, int> found;
  for (const auto& x : s) ++found[x];
  const int made = *f.made - before;
  const counting_map plain;
  for (std::int64_t i = 0; i != n; ++i) CHECK(found[plain(i)] == 1);
  CHECK(found.size() == static_cast<std::size_t>(n));
  return made;
}
constexpr auto square = [](std::int64_t x) { return x * x; };

}  // namespace

TEST_CASE("cache(shared_memory): laws") {
  for (const std::uint64_t n : {0U, 700U, 100'000U}) {
    const auto fresh = [&] { return pl::cache(own_shared_memory(), pl::bytes(n)); };
    op_laws(pl::range(40) | pl::map(square) | fresh());
    op_laws(pl::range(40) | pl::shuffle(1) | pl::map(square) | fresh() | pl::batch(7));
    op_laws(pl::range(40) | pl::map(square) | fresh() | pl::map(square) | fresh() | pl::shuffle(2) | pl::repeat(2));
  }
}

TEST_CASE("cache(shared_memory): from the second epoch on, each epoch makes the same number of elements again") {
  constexpr std::int64_t all = 300;
  for (const std::size_t threads : {0U, 2U, 8U})
    for (const std::uint64_t limit : {0U, 2'000U, 20'000U, 100'000U}) {
      const counting_map f;
      const auto p = pl::range(all) | pl::shuffle(1) | pl::map(f) | pl::cache(own_shared_memory(), pl::bytes(limit));
      auto s = pl::run(p, {.threads = threads});
      CHECK(made_in_epoch(s, f, all) == all);
      const int misses = made_in_epoch(s, f, all);
      // an element has 101 to 108 bytes of text, their number, its own size, and its slot
      if (limit == 100'000) CHECK(misses == 0);
      if (limit == 20'000) CHECK(misses < all - 20'000 / 160);
      if (limit == 0) CHECK(misses == all);
      for (int e = 0; e != 3; ++e) CHECK(made_in_epoch(s, f, all) == misses);
    }
}

TEST_CASE(
    "cache(shared_memory): of a source without an end, or with far more elements than the limit, it keeps what fits") {
  constexpr auto many = std::int64_t{1} << 41;
  const auto number = [](std::uint64_t i) { return static_cast<std::int64_t>(i); };
  op_laws(pl::generate(number) | pl::take(10) | pl::cache(own_shared_memory(), pl::bytes(4_KiB)));
  for (const std::size_t threads : {0U, 2U, 8U}) {
    const auto made = [&](const auto& numbers) {
      const auto at = own_shared_memory();
      const counting_map f;
      const auto p = numbers | pl::map(f) | pl::cache(at, pl::bytes(40_KiB));
      auto s = pl::run(p, {.threads = threads}), t = pl::run(p, {.threads = threads});
      std::vector<int> by_epoch;
      for (auto* stream : {&s, &t, &s}) {
        const int before = *f.made;
        CHECK(std::ranges::distance(*stream) == 200);
        by_epoch.push_back(*f.made - before);
      }
      return by_epoch;
    };
    const std::vector<int> once{200, 0, 0};
    CHECK(made(pl::generate(number) | pl::skip(std::uint64_t{1} << 50) | pl::take(200)) == once);
    CHECK(made(pl::range(many) | pl::shard(static_cast<std::uint64_t>(many) / 200, 7) | pl::take(200)) == once);
  }
}

TEST_CASE("cache(shared_memory): pipelines of one name find each other's elements, in any order") {
  const auto at = own_shared_memory();
  const counting_map f;
  const auto kept = [&] { return pl::cache(at, pl::bytes(1_MiB)); };
  const auto p = pl::range(100) | pl::shuffle(1) | pl::map(f) | kept();
  const auto q = pl::range(100) | pl::map(f) | kept() | pl::shuffle(2, 10);
  CHECK(pl::layout(p).back().report.empty());  // nothing is opened before it runs
  auto s = pl::run(p), t = pl::run(q);
  CHECK(made_in_epoch(s, f, 100) == 100);
  CHECK(made_in_epoch(t, f, 100) == 0);
  CHECK_THAT(pl::layout(q).back().name, !Contains("cache"));
  CHECK_THAT(pl::layout(p).back().name, Contains("cache(shared memory \"" + at.name + "\", 1 MiB)"));
  for (const std::string before : {"", "a", "aa"}) {  // of a long name 40 bytes are shown, without a part of a letter
    std::string euros;
    for (int i = 0; i != 14; ++i) euros += "€";
    const auto long_name = pl::range(3) | pl::map(f) | pl::cache(pl::shared_memory(before + euros), pl::bytes(1_MiB));
    const auto whole = before + euros.substr(0, (40 - before.size()) / 3 * 3);
    CHECK_THAT(pl::layout(long_name).back().name, Contains("\"" + whole + "...\""));
  }
  CHECK_THAT(pl::layout(p).back().report, Contains("100 elements in ") && Contains("of 1 MiB, shared by 1 process"));
  std::ostringstream shown;
  shown << pl::explain(p);
  CHECK_THAT(shown.str(), Contains("100 elements in "));
}

TEST_CASE("cache(shared_memory): another pipeline, version or size has elements of its own") {
  const auto at = own_shared_memory();
  const counting_map f;
  const auto p = [&](std::int64_t n, std::uint64_t version) {
    return pl::range(n) | pl::map(f) | pl::cache(at, pl::bytes(1_MiB), {.version = version});
  };
  auto first = pl::run(p(50, 0));
  CHECK(made_in_epoch(first, f, 50) == 50);
  auto same = pl::run(p(50, 0)), newer = pl::run(p(50, 1)), longer = pl::run(p(60, 0));
  CHECK(made_in_epoch(same, f, 50) == 0);
  CHECK(made_in_epoch(newer, f, 50) == 50);
  CHECK(made_in_epoch(longer, f, 60) == 60);
}

TEST_CASE("cache(shared_memory): one pipeline's elements stay while it, or a stream, exists") {
  const auto at = own_shared_memory();
  const counting_map f;
  const auto p = [&] { return pl::range(20) | pl::map(f) | pl::cache(at, pl::bytes(1_MiB)); };
  {
    const auto held = p();
    for (const int wanted : {20, 0}) {
      auto s = pl::run(held);
      CHECK(made_in_epoch(s, f, 20) == wanted);
    }
    auto t = pl::run(p());
    CHECK(made_in_epoch(t, f, 20) == 0);
  }
  auto later = pl::run(p());
  CHECK(made_in_epoch(later, f, 20) == 20);
}

TEST_CASE("cache(shared_memory): elements of several parts, and of none") {
  const auto at = own_shared_memory();
  const auto p = pl::range(30) | pl::map([](std::int64_t i) {
                   const auto n = static_cast<std::size_t>(i % 4);
                   return std::tuple(pl::tensor<float>({n, 3}, static_cast<float>(i)), std::vector<std::int64_t>(n, i),
                                     std::string(n, 'y'));
                 }) |
                 pl::cache(at, pl::bytes(1_MiB));
  auto s = pl::run(p), t = pl::run(p);
  for (std::int64_t i = 0; i != 30; ++i) {
    const auto a = s.next(), b = t.next();
    REQUIRE(a);
    REQUIRE(b);
    CHECK(*a == *b);
    CHECK(std::get<1>(*b) == std::vector<std::int64_t>(static_cast<std::size_t>(i % 4), i));
  }
  const auto empty = pl::range(30) | pl::map([](std::int64_t) { return std::tuple<>(); });
  auto u = pl::run(empty | pl::cache(at, pl::bytes(1_MiB)));
  for (int e = 0; e != 2; ++e) CHECK(std::ranges::distance(u) == 30);
}

TEST_CASE("cache(shared_memory): what it refuses") {
  CHECK_THROWS_WITH(pl::shared_memory(""), Contains("the name is empty"));
  const auto at = own_shared_memory();
  const auto p = [&](pl::bytes n) { return pl::range(5) | pl::cache(at, n); };
  auto s = pl::run(p(pl::bytes(1_MiB)));
  CHECK_THROWS_WITH(pl::run(p(pl::bytes(2_MiB))),
                    Contains("another pipeline or process states 1 MiB (1048576) for \"" + at.name) &&
                        Contains("and this one 2 MiB (2097152); state the same"));
  CHECK_THROWS_WITH(pl::run(pl::range(5) | pl::cache(own_shared_memory(), pl::bytes(~std::uint64_t{0}))),
                    Contains("more than any memory"));
}

TEST_CASE("cache(shared_memory): elements count as they are stored, not as they are in memory") {
  const auto texts = [](std::int64_t) { return std::vector<std::string>(1000, "a"); };  // stored in 9 kB
  const auto at = own_shared_memory();
  const auto p = pl::range(10) | pl::map(texts) | pl::cache(at, pl::bytes(30'000));
  auto s = pl::run(p);
  for (const auto& x : s) CHECK(x.size() == 1000);
  CHECK_THAT(pl::layout(p).back().report, Contains("3 elements in "));
}

TEST_CASE("cache(shared_memory): a child goes on with a stream without threads, and runs the pipeline anew") {
  const auto at = own_shared_memory();
  const counting_map f;
  const auto p = pl::range(5000) | pl::map(f) | pl::cache(at, pl::bytes(1_MiB));
  auto s = pl::run(p, {.threads = 0});
  for (int i = 0; i != 10; ++i) REQUIRE(s.next());
  const int kept = *f.made;  // it is ahead of the consumer
  REQUIRE(kept < 5000);
  const pid_t child = ::fork();
  if (child == 0) {
    int right = 0, found = 0;
    for (std::int64_t n = 10; const auto x = s.next(); ++n) right += *x == counting_map()(n) ? 1 : 100;
    const int before = *f.made;
    for (const auto& x : pl::run(p, {.threads = 0})) found += x.empty() ? 0 : 1;
    ::_exit(right == 4990 && found == 5000 && *f.made - before == 5000 - kept ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  std::int64_t rest = 0;  // what the child made is in no memory of the parent's
  while (s.next()) ++rest;
  CHECK(rest == 4990);
  CHECK(*f.made <= 5000);
}

TEST_CASE("cache(shared_memory): files of the same names and sizes that are others, or were written again") {
  const temp_folder folder;
  const auto at = own_shared_memory();
  const auto contents = [&] {
    std::string all;
    for (const auto& f : pl::run(pl::files(folder / "*.txt") | pl::read_file() | pl::cache(at, pl::bytes(1_MiB))))
      all += std::string(f.data.begin(), f.data.end());
    return all;
  };
  const auto held = pl::range(1) | pl::cache(at, pl::bytes(1_MiB));
  auto keeps_it_open = pl::run(held);
  folder.write("a.txt", "one");
  folder.write("b.txt", "two");
  CHECK(contents() == "onetwo");
  CHECK(contents() == "onetwo");
  folder.write("b.txt", "six");
  const auto later = std::filesystem::last_write_time(folder / "b.txt") + std::chrono::hours(1);
  std::filesystem::last_write_time(folder / "b.txt", later);  // the file system's clock has steps of some ms
  CHECK(contents() == "onesix");
  std::filesystem::rename(folder / "a.txt", folder / "old");
  folder.write("a.txt", "ten");
  CHECK(contents() == "tensix");
}
