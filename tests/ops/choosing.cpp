// Operators that keep, number, combine or choose elements: take_while, unique, scan, choose_from, mix, split, shard.
#include <plumbline/exec/reduce.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/ops/split.hpp>

#include <ops/reference/mix.hpp>
#include <ops/reference/scan.hpp>
#include <ops/reference/shard.hpp>
#include <ops/reference/take_while.hpp>
#include <ops/reference/unique.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
const auto under = [](std::int64_t n) { return [n](std::int64_t x) { return x < n; }; };
const auto sum = [](std::int64_t all, std::int64_t x) { return std::pair(all + x, all + x); };
class environment {
 public:
  environment(std::initializer_list<std::pair<const char*, const char*>> all) {
    clear();
    for (const auto& [name, value] : all) setenv(name, value, 1);
  }
  ~environment() { clear(); }
  environment(const environment&) = delete;

 private:
  static void clear() {
    for (const char* name : {"WORLD_SIZE", "RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_NTASKS",
                             "SLURM_PROCID", "PMI_SIZE", "PMI_RANK"})
      unsetenv(name);
  }
};
}  // namespace

TEST_CASE("take_while: up to the first element that fails, in every epoch") {
  CHECK(joined(shown(pl::range(10) | pl::take_while(under(5)))) == "[0, 1, 2, 3, 4]");
  for (const std::int64_t n : {0, 1, 50, 99, 100, 200}) {
    op_laws(pl::range(100) | pl::take_while(under(n)));
    op_laws(serial(100) | pl::take_while(under(n)) | pl::repeat(2) | pl::batch(7));
  }
  op_laws(serial_endless() | pl::take_while(under(70)));
  op_laws(pl::range(1000) | pl::map([](std::int64_t x) { return x % 100; }) | pl::take_while(under(30)).named("low"));
}

TEST_CASE("unique: the first of each value or key") {
  CHECK(joined(shown(pl::elements(std::vector{1, 37, 2, 37, 2, 1}) | pl::unique())) == "[1, 37, 2]");
  CHECK(joined(shown(pl::range(9) | pl::unique([](std::int64_t x) { return x / 4; }))) == "[0, 4, 8]");
  op_laws(pl::range(300) | pl::map([](std::int64_t x) { return std::to_string(x * x % 97); }) | pl::unique());
  op_laws(serial(500) | pl::unique([](std::int64_t x) { return x % 400; }) | pl::repeat(2));
  const auto many = serial(5000) | pl::unique([](std::int64_t x) { return x % 4900; });
  auto s = pl::run(many, with(2));
  for (int i = 0; i != 3000; ++i) s.next();
  const auto state = s.save();
  auto again = pl::run(many, with(0));
  again.load(state);
  CHECK(*again.next() == 3000);
  CHECK(drained(again).size() == 1899);
}

TEST_CASE("unique: what is saved with its keys is not copied for each element") {
  static std::atomic<std::int64_t> copied{0}, work{0};
  struct counted {
    std::int64_t value = 0;
    counted() = default;
    explicit counted(std::int64_t x) : value(x) {}
    // copies take long enough that 1 % of the time is a few states, even where other programs slow the run by much
    counted(const counted& other) : value(other.value) {
      ++copied;
      for (int i = 0; i != 1000; ++i) ++work;
    }
    counted(counted&&) = default;
    counted& operator=(const counted&) = delete;
    counted& operator=(counted&&) = default;
    ~counted() {}  // saved as an object, not as bytes
  };
  constexpr std::int64_t n = 4000, buffer = 1000;
  const auto p = serial(n) | pl::map([](std::int64_t x) {
                   std::this_thread::sleep_for(std::chrono::microseconds(50));
                   return counted(x);
                 }) |
                 pl::unique(&counted::value) | pl::shuffle(static_cast<std::uint64_t>(buffer), 1);
  for (const std::size_t threads : {0U, 1U}) {
    copied = 0;
    auto how = with(threads);
    how.saves = true;
    auto s = pl::run(p, how);
    std::int64_t came = 0;
    while (s.next()) ++came;
    CHECK(came == n);
    CHECK(copied < n / 20 * buffer);  // a few times the buffer, in 1 % of the time
  }
}

TEST_CASE("scan: a state that passes through the stream") {
  CHECK(joined(shown(pl::range(5) | pl::scan(std::int64_t{0}, sum))) == "[0, 1, 3, 6, 10]");
  op_laws(pl::range(200) | pl::scan(std::int64_t{5}, sum) | pl::repeat(2));
  op_laws(serial(100) | pl::scan(std::string(), [](std::string all, std::int64_t x) {
            all = (all + std::to_string(x)).substr(0, 9);
            return std::tuple(all, all);
          }));
}

TEST_CASE("choose_from: the example of tf.data's documentation, and both endings") {
  const auto of = [](std::int64_t x, std::int64_t n) {
    return pl::range(n) | pl::map([x](std::int64_t) { return x; });
  };
  const auto turns = pl::range(3) | pl::repeat(3);
  CHECK(joined(shown(pl::choose_from(turns, of(0, 99), of(1, 99), of(2, 99)))) == "[0, 1, 2, 0, 1, 2, 0, 1, 2]");
  CHECK(joined(shown(pl::choose_from(turns, of(0, 99), of(1, 1), of(2, 99)))) == "[0, 1, 2, 0]");
  CHECK(joined(shown(pl::choose_from<pl::ending::last>(turns, of(0, 99), of(1, 1), of(2, 99)))) ==
        "[0, 1, 2, 0, 2, 0, 2]");
  CHECK(joined(shown(pl::choose_from<pl::ending::last>(turns | pl::repeat(), of(0, 1), of(1, 3), of(2, 2)))) ==
        "[0, 1, 2, 1, 2, 1]");
  op_laws(pl::choose_from(pl::range(2) | pl::repeat(), pl::range(100), serial(30)));
  op_laws(pl::choose_from<pl::ending::last>(pl::range(2) | pl::repeat(), pl::range(100) | pl::shuffle(1), serial(30)) |
          pl::batch(7));
  CHECK_THROWS_WITH(shown(pl::choose_from(pl::range(5), pl::range(9), pl::range(9))), Contains("there is no stream 2"));
}

TEST_CASE("mix: proportions hold over all, in every shard, and after a resume") {
  const auto of = [](std::int64_t x) { return pl::range(1) | pl::map([x](std::int64_t) { return x; }) | pl::repeat(); };
  const auto p = pl::mix({.weights = {7, 3}, .seed = 5}, of(0), of(1));
  const auto second = [](const auto& stream, std::size_t n) {
    auto s = pl::run(stream, with(0));
    std::int64_t all = 0;
    for (std::size_t i = 0; i != n; ++i) all += *s.next();
    return static_cast<double>(all) / static_cast<double>(n);
  };
  CHECK(second(p, 20'000) == Approx(0.3).margin(0.02));
  for (const std::uint64_t shard : {0U, 3U, 7U})
    CHECK(second(p | pl::shard(8, shard), 8'000) == Approx(0.3).margin(0.03));
  CHECK(shown(p, 200, 0) != shown(p, 200, 1));
  op_laws(p);
  op_laws(pl::mix({.seed = 1}, pl::range(40), serial(70), pl::range(55) | pl::shuffle(1)), {.differs_by_seed = false});
  op_laws(pl::mix({.weights = {1, 0, 2}, .stop = pl::ending::last}, pl::range(40), serial(70), pl::range(55)) |
              pl::repeat(2),
          {.differs_by_seed = false});
  CHECK(shown(pl::mix({.stop = pl::ending::last}, pl::range(40), pl::range(70))).size() == 110);
  CHECK_THROWS_WITH(pl::mix({.weights = {1}}, pl::range(4), pl::range(4)), Contains("1 weights for 2 streams"));
  CHECK_THROWS_WITH(pl::mix({.weights = {0, 0}}, pl::range(4), pl::range(4)), Contains("all weights are 0"));
  CHECK_THROWS_WITH(pl::mix({.weights = {-1, 2}}, pl::range(4), pl::range(4)), Contains("at least 0"));
}

TEST_CASE("split: disjoint parts, the same in every epoch") {
  const auto [train, held, rest] = pl::split(pl::range(101), {0.7, 0.2, 0.1}, 42);
  std::set<std::string> all;
  std::size_t n = 0;
  for (const auto& part : {train, held, rest}) {
    const auto own = shown(part);
    CHECK(own == shown(part, 999, 3));
    n += own.size();
    all.insert(own.begin(), own.end());
    op_laws(part);
  }
  CHECK(n == 101);
  CHECK(all.size() == 101);
  CHECK(shown(held).size() == 20);
  CHECK(pl::layout(held | pl::shuffle(3)).back().varies == false);
  CHECK_THROWS_WITH(pl::split(pl::range(9), {0.9, 0.2}, 1), Contains("add up to"));
  CHECK_THROWS_WITH(pl::split(pl::range(9), {-0.9, 0.2}, 1), Contains("at least 0"));
}

TEST_CASE("shard: uneven ends") {
  const auto texts_of = [](const auto& p) { return joined(shown(p)); };
  CHECK(texts_of(pl::range(10) | pl::shard(4, 1, pl::drop_remainder)) == "[1, 5]");
  CHECK(texts_of(serial(10) | pl::shard(4, 1, pl::drop_remainder)) == "[1, 5]");
  CHECK(texts_of(pl::range(10) | pl::shard(4, 3, pl::repeat_remainder)) == "[3, 7, 1]");
  CHECK(texts_of(serial(10) | pl::shard(4, 3, pl::repeat_remainder)) == "[3, 7, 1]");
  CHECK(texts_of(serial(2) | pl::shard(5, 4, pl::repeat_remainder)) == "[0]");
  for (const std::uint64_t count : {1U, 3U, 7U, 20U})
    for (const std::int64_t n : {0, 1, 6, 7, 21}) {
      op_laws(pl::range(n) | pl::shard(count, count / 2, pl::drop_remainder));
      op_laws(serial(n) | pl::shard(count, count - 1, pl::drop_remainder) | pl::batch(2));
      op_laws(pl::range(n) | pl::shard(count, count - 1, pl::repeat_remainder) | pl::repeat(2));
      op_laws(serial(n) | pl::shard(count, count / 2, pl::repeat_remainder));
    }
}

TEST_CASE("shard: count and index from the launcher's environment, and explain says which") {
  for (const auto& [size, rank] :
       {std::pair{"WORLD_SIZE", "RANK"}, std::pair{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
        std::pair{"SLURM_NTASKS", "SLURM_PROCID"}, std::pair{"PMI_SIZE", "PMI_RANK"}}) {
    const environment set{{size, "4"}, {rank, "1"}};
    const auto p = pl::range(10) | pl::shard();
    CHECK(joined(shown(p)) == "[1, 5, 9]");
    CHECK(pl::layout(p).back().name == "shard(4, 1 from " + std::string(rank) + " of " + size + ")");
    CHECK(joined(shown(pl::range(10) | pl::shard(pl::drop_remainder))) == "[1, 5]");
    CHECK(joined(shown(pl::range(10) | pl::shard(pl::repeat_remainder))) == "[1, 5, 9]");
  }
  {
    const environment none{};
    CHECK_THROWS_WITH(pl::shard(), Contains("no launcher has set WORLD_SIZE and RANK"));
  }
  const environment wrong{{"WORLD_SIZE", "4x"}, {"RANK", "1"}};
  CHECK_THROWS_WITH(pl::shard(), Contains("\"4x\"; it should be a number"));
  const environment above{{"WORLD_SIZE", "4"}, {"RANK", "4"}};
  CHECK_THROWS_WITH(pl::shard(), Contains("RANK is 4, and WORLD_SIZE is 4"));
}

TEST_CASE("reduce: one epoch combined") {
  const auto add = [](std::int64_t all, std::int64_t x) { return all + x; };
  CHECK(pl::reduce(pl::range(5), std::int64_t{0}, add) == 10);
  CHECK(pl::reduce(pl::range(1000) | pl::filter(under(0)), std::int64_t{7}, add, with(2)) == 7);
}
