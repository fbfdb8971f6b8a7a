#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto even = [](std::int64_t x) { return x % 2 == 0; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
}  // namespace

TEST_CASE("cache: does not change the elements") {
  op_laws(pl::range(300) | pl::cache());
  op_laws(serial(300) | pl::map(square) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(0) | pl::cache() | pl::map(square));
  op_laws(serial(30) | pl::cache() | pl::shuffle(7, 3) | pl::batch(4));
  op_laws(waiting(30) | pl::cache() | pl::enumerate());
  op_laws(pl::range(9) | pl::interleave([](std::int64_t x) { return pl::range(x); }) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(40) |
          pl::flat_map([](std::int64_t x) { return std::vector<std::int64_t>(static_cast<std::size_t>(x % 3), x); }) |
          pl::cache() | pl::map(jitter));
}

TEST_CASE("cache: upstream and downstream of repeat") {
  op_laws(serial(7) | pl::cache() | pl::repeat(4) | pl::map(jitter));
  op_laws(serial(7) | pl::repeat(4) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(5) | pl::repeat(2) | pl::cache() | pl::repeat(3) | pl::cache() | pl::repeat(2) | pl::map(jitter));
  op_laws(serial(7) | pl::cache() | pl::repeat() | pl::map(jitter));
  op_laws(pl::zip(serial(4) | pl::cache() | pl::repeat(2), serial(8) | pl::cache()) | pl::cache());
  op_laws(pl::zip(pl::range(4), serial(6) | pl::repeat(2)) | pl::skip(1) | pl::cache() |
          pl::map([](std::tuple<std::int64_t, std::int64_t> t, pl::rng& r) {
            return std::get<0>(t) + static_cast<std::int64_t>(r.below(1'000'000));
          }) |
          pl::repeat(2));
}

TEST_CASE("cache: a stream with random access by index stays indexed") {
  static_assert(pl::facts_of<decltype(pl::range(9) | pl::map(square) | pl::cache())>.indexed);
  static_assert(!pl::facts_of<decltype(serial(9) | pl::cache())>.indexed);
  static_assert(!pl::facts_of<decltype(pl::zip(pl::range(9), pl::range(9)) | pl::cache())>.indexed);
  static_assert(!pl::facts_of<decltype(pl::range(9) | pl::enumerate() | pl::cache())>.indexed);
  const auto text = [](std::int64_t x) { return std::string(static_cast<std::size_t>(x % 40), 'x'); };
  const auto length = [](const std::string& s) { return s.size(); };
  op_laws(pl::range(90) | pl::map(square) | pl::cache() | pl::shuffle(5) | pl::map(jitter));
  op_laws(pl::range(90) | pl::shuffle(5) | pl::map(text) | pl::cache() | pl::map(length) | pl::batch(7));
  op_laws(pl::range(90) | pl::shuffle(5) | pl::map(square) | pl::cache() | pl::shuffle(6) | pl::take(50) |
          pl::map(square) | pl::cache() | pl::repeat(3) | pl::map(jitter));
  op_laws(waiting(30) | pl::map(square) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(40) | reads(square) | pl::map(square) | pl::cache() | pl::skip(7) | pl::filter(even));
  op_laws(pl::range(40) | pl::map(square) | reads(square) | pl::cache() | pl::shard(3, 1) | pl::enumerate());
  op_laws(pl::zip(pl::range(20) | pl::map(square) | pl::cache() | pl::shuffle(1), pl::range(20) | pl::cache()));
  op_laws(pl::zip(pl::range(20) | pl::map(square) | pl::cache(), pl::range(20) | pl::cache()) | pl::cache());
  op_laws(pl::concat(pl::range(20) | pl::map(square) | pl::cache(), pl::range(9) | pl::cache()) | pl::shuffle(4));
}

TEST_CASE("cache: by index, in a new order every epoch, and with epochs that are abandoned early") {
  for (const std::size_t threads : {0U, 1U, 4U}) {
    std::atomic<int> made{0};
    const auto make = [&](std::int64_t x) {
      ++made;
      return std::to_string(x);
    };
    auto s = pl::run(pl::range(1000) | pl::shuffle(3) | reads(square) | pl::map(make) | pl::cache(), with(threads));
    std::vector<std::vector<std::string>> epochs;
    for (int i = 0; i != 4; ++i) {
      s.restart();
      epochs.push_back({});
      for (int k = 0; k != (i == 0 ? 300 : 1000); ++k) epochs.back().push_back(*s.next());
      if (i == 0) CHECK(made >= 300);
    }
    // what the epoch that was left had given is not made again; what threads were making then may be
    CHECK(made >= 1000);
    CHECK(made < (threads == 0 ? 1001 : 1300));
    CHECK(epochs[1] != epochs[2]);
    for (auto& e : epochs) std::ranges::sort(e);
    CHECK(epochs[1] == epochs[2]);
    CHECK(epochs[2] == epochs[3]);
  }
}

TEST_CASE("cache: by index, an element that fails is not kept, and is retried") {
  for (const std::size_t threads : {0U, 3U}) {
    std::atomic<bool> broken{true};
    auto s = pl::run(pl::range(50) | pl::map([&](std::int64_t x) {
                       if (x == 20 && broken) throw std::runtime_error("broken");
                       return x;
                     }) | pl::cache(),
                     with(threads));
    CHECK_THROWS_AS(drained(s), pl::failure);
    broken = false;
    s.restart();
    CHECK(drained(s).size() == 50);
  }
}

namespace {
/// The `refused`-th copy of the element 7 throws.
struct stubborn {
  std::int64_t x = 0;
  std::atomic<int>* copies = nullptr;
  int refused = 0;
  stubborn(std::int64_t v, std::atomic<int>* c, int r) : x(v), copies(c), refused(r) {}
  stubborn(stubborn&&) = default;
  stubborn& operator=(stubborn&&) = default;
  stubborn(const stubborn& o) : x(o.x), copies(o.copies), refused(o.refused) {
    if (x == 7 && ++*copies == refused) throw std::runtime_error("no copy of seven");
  }
  stubborn& operator=(const stubborn&) = default;
};
}  // namespace

TEST_CASE("cache: a failure to copy an element is the cache's, when it is stored and when it is replayed") {
  for (const std::size_t threads : {0U, 2U})
    for (const bool by_number : {true, false})
      for (const int refused : {1, 2}) {
        INFO(threads << " threads, by index " << by_number << ", copy " << refused);
        std::atomic<int> copies{0};
        const auto make = pl::map([&](std::int64_t x) { return stubborn(x, &copies, refused); });
        const auto after = [](const auto& p) {
          return p | pl::map([](stubborn&& s) { return s.x; }) | pl::map(square);
        };
        const auto wants = [&](auto s) {
          const auto two_epochs = [&] {
            for (int epoch = 0; epoch != 2; ++epoch) {
              s.restart();
              while (s.next()) {
              }
            }
          };
          CHECK_THROWS_WITH(two_epochs(), Catch::Matchers::Contains("cache (operator 3 of 5) failed at element 7") &&
                                              Catch::Matchers::Contains("no copy of seven"));
        };
        if (by_number)
          wants(pl::run(after(pl::range(20) | make | pl::cache()), with(threads)));
        else
          wants(pl::run(after(serial(20) | make | pl::cache()), with(threads)));
      }
}

TEST_CASE("cache: by index, of a source with far more elements than any memory, or without an end") {
  const auto cube = [](std::uint64_t i) { return static_cast<std::int64_t>(i * i * i); };
  const auto half = [](std::int64_t x) { return x / 2; };
  constexpr auto many = std::int64_t{1} << 41;
  op_laws(pl::generate(cube) | pl::take(10) | pl::cache());
  op_laws(pl::range(many) | pl::take(10) | pl::cache() | pl::map(jitter));
  op_laws(pl::generate(cube) | pl::take(10) | pl::cache(pl::bytes(40)));
  op_laws(pl::generate(cube) | pl::take(10) | pl::cache(pl::share(0.5)));
  const auto same_as_without = [&](const auto& p, const auto& cache) {
    for (const std::size_t threads : {0U, 1U, 4U}) {
      auto s = pl::run(p | cache, with(threads)), without = pl::run(p, with(0));
      for (int epoch = 0; epoch != 3; ++epoch) {
        CHECK(drained(s) == drained(without));
        s.restart();
        without.restart();
      }
    }
  };
  same_as_without(pl::generate(cube) | pl::skip(std::uint64_t{1} << 50) | pl::take(30) | pl::map(half), pl::cache());
  same_as_without(pl::range(many) | pl::shuffle(1) | pl::take(50) | pl::map(half), pl::cache());
  same_as_without(pl::range(many) | pl::shard(std::uint64_t{1} << 35, 3), pl::cache(pl::share(0.5)));
  for (const std::size_t threads : {0U, 1U, 4U}) {
    std::atomic<int> made{0};
    const auto make = [&](std::int64_t x) { return ++made, std::to_string(x); };
    const auto epochs = [&](const auto& p) {
      made = 0;
      auto s = pl::run(p, with(threads));
      const auto first = drained(s);
      for (int i = 0; i != 3; ++i) {
        s.restart();
        CHECK(drained(s) == first);
      }
      return first.size();
    };
    CHECK(epochs(pl::generate(cube) | pl::take(100) | pl::map(make) | pl::cache()) == 100);
    CHECK(made == 100);
    // 64 elements, all over the source
    CHECK(epochs(pl::range(many) | pl::shard(std::uint64_t{1} << 35, 7) | pl::map(make) | pl::cache()) == 64);
    CHECK(made == 64);
    auto s = pl::run(pl::range(many / 4) | pl::shuffle(1) | pl::cache() | pl::take(100), with(threads));
    CHECK(drained(s).size() == 100);
  }
}

TEST_CASE("memory_store: elements anywhere, kept from many threads") {
  const auto kept = std::make_shared<int>(0);
  for (const std::uint64_t size : {std::uint64_t{5000}, ~std::uint64_t{0}}) {
    pl::memory_store<std::pair<std::uint64_t, std::shared_ptr<int>>> store(size);
    const auto index = [&](std::uint64_t k) {
      return size == 5000 ? k : pl::hash_combine(1, k) >> (k % 50 == 49 ? 60 : k % 32);
    };
    std::set<std::uint64_t> all;
    for (std::uint64_t k = 0; k != 5000; ++k) all.insert(index(k));
    std::atomic<std::size_t> mine{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t != 4; ++t)
      threads.emplace_back([&] {
        for (std::uint64_t k = 0; k != 5000; ++k) {
          const auto i = index(k);
          mine += store.keep(i, {i, kept}) ? 1U : 0U;
          if (const auto* x = store.find(i); x != nullptr && x->first != i) ++wrong;
        }
      });
    for (auto& t : threads) t.join();
    CHECK(mine == all.size());
    CHECK(wrong == 0);
    for (const auto i : all) {
      const auto* x = store.find(i);
      REQUIRE(x != nullptr);
      CHECK(x->first == i);
    }
    if (size != 5000) CHECK(store.find(pl::hash_combine(2, 0)) == nullptr);
    CHECK(kept.use_count() == 1 + static_cast<long>(all.size()));
  }
  CHECK(kept.use_count() == 1);
}

TEST_CASE("cache: an epoch that is abandoned early is not kept") {
  op_laws(serial(20) | pl::cache() | pl::take(5) | pl::repeat(3));
  op_laws(serial(20) | pl::map(square) | pl::cache() | pl::take(20) | pl::repeat(3) | pl::map(jitter));
  op_laws(pl::zip(serial(20) | pl::cache(), pl::range(7)) | pl::repeat(3));
}

TEST_CASE("cache: the elements upstream are made once") {
  for (const std::size_t threads : {0U, 1U, 4U}) {
    std::atomic<int> made{0};
    const auto p = pl::range(100) | pl::map([&](std::int64_t x) {
                     ++made;
                     return x;
                   }) |
                   pl::cache() | pl::repeat(5);
    // fewer than 100 elements are in flight, so none is requested again while another thread is still making it
    auto s = pl::run(p, with(threads, 1));
    for (int epoch = 0; epoch != 2; ++epoch) {
      CHECK(drained(s).size() == 500);
      CHECK(made == 100);
      s.restart();
    }
  }
}

TEST_CASE("cache: the consumer's changes to an element do not affect the kept one") {
  auto s = pl::run(pl::elements<std::string>({"a", "b"}) | pl::cache(), with(0));
  for (int epoch = 0; epoch != 3; ++epoch) {
    std::string all;
    for (auto& x : s) all += std::exchange(x, "spoilt");
    CHECK(all == "ab");
  }
}

namespace {
/// Keeps elements with even indices and refuses the others; returns copies.
template <class T> class even_store {
 public:
  explicit even_store(std::uint64_t n) : kept_(static_cast<std::size_t>(n)) {}
  std::optional<T> find(std::uint64_t i) const {
    const std::scoped_lock lock(mutex_);
    return kept_[static_cast<std::size_t>(i)];
  }
  bool keep(std::uint64_t i, const T& x) {
    const std::scoped_lock lock(mutex_);
    if (i % 2 == 0) kept_[static_cast<std::size_t>(i)] = x;
    return i % 2 == 0;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::optional<T>> kept_;
};
struct even_cache_op : pl::cache_op {
  static constexpr std::string_view name = "even_cache";
  template <class T> using store = even_store<T>;
};
}  // namespace

TEST_CASE("cache: a user-defined store, which may refuse elements") {
  static_assert(pl::element_store<even_store<std::string>, std::string>);
  static_assert(pl::element_store<pl::memory_store<std::string>, std::string>);
  for (const std::size_t threads : {0U, 1U, 2U}) {
    std::atomic<int> made{0};
    const auto make = [&made](std::int64_t x) { return ++made, std::to_string(x); };
    const auto p = pl::range(100) | pl::shuffle(1) | pl::map(make) | even_cache_op() | pl::shuffle(2);
    auto s = pl::run(p, with(threads));
    auto first = drained(s);
    CHECK(made == 100);
    s.restart();
    auto second = drained(s);
    CHECK(made == 150);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    CHECK(first == second);
  }
}
