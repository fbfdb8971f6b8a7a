// A cache whose store may wait (`blocking`): it is asked on I/O threads only, wherever the cache is in the chain.
#include <plumbline/ops/cache_part.hpp>

#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <support/op_laws.hpp>
#include <support/pulled.hpp>
#include <support/temp_folder.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

namespace plumbline_test {

struct seen_threads {
  std::mutex mutex{};
  std::set<std::thread::id> all{};
  void here() {
    const std::scoped_lock lock(mutex);
    all.insert(std::this_thread::get_id());
  }
};

template <class T> struct slow_store {
  pl::limited_store<T> kept;
  std::shared_ptr<seen_threads> asked;
  auto find(std::uint64_t i) const {
    asked->here();
    return kept.find(i);
  }
  void keep(std::uint64_t i, const T& x) {
    asked->here();
    kept.keep(i, x);
  }
};

// cache(bytes), with a store that may wait.
struct slow_cache_op : pl::part_cache_op {
  static constexpr bool blocking = true;
  std::shared_ptr<seen_threads> asked;
  template <class In> using store = slow_store<In>;
  template <class In> auto open_store(std::uint64_t size, const pl::replay_context&) const {
    return std::shared_ptr<store<In>>(new store<In>{pl::limited_store<In>(size, limit), asked});
  }
};
// cache(), with a store that requests about `together` elements together, and may find no odd ones.
template <class T> struct pairs_store : pl::memory_store<T> {
  std::shared_ptr<std::vector<std::size_t>> asked;
  std::size_t together;
  bool only_even;
  pairs_store(std::uint64_t n, std::shared_ptr<std::vector<std::size_t>> to, std::size_t k, bool even)
      : pl::memory_store<T>(n), asked(std::move(to)), together(k), only_even(even) {}
  const T* find(std::uint64_t i) const { return only_even && i % 2 != 0 ? nullptr : pl::memory_store<T>::find(i); }
  std::size_t at_once() const { return together; }
  void ask_ahead(std::span<const std::uint64_t> indices) const { asked->push_back(indices.size()); }
  bool lacks(std::uint64_t i) const { return find(i) == nullptr; }
};
struct pairs_cache_op : pl::cache_op {
  static constexpr bool blocking = true;
  std::shared_ptr<std::vector<std::size_t>> asked;
  std::size_t together = 2;
  bool only_even = false;
  template <class In> using store = pairs_store<In>;
  template <class In> auto open_store(std::uint64_t size, const pl::replay_context&) const {
    return std::make_shared<store<In>>(size, asked, together, only_even);
  }
};
// cache(), with a store as far away as a server: once it is filled, each request takes 30 ms, for any number of
// elements.
struct far_away {
  std::atomic<bool> filled{false};
  std::atomic<int> requests{0};
};
template <class T> struct far_store : pl::memory_store<T> {
  std::shared_ptr<far_away> state;
  mutable std::set<std::uint64_t> here{};  // the replies to what was requested together
  far_store(std::uint64_t n, std::shared_ptr<far_away> to) : pl::memory_store<T>(n), state(std::move(to)) {}
  void request() const {
    if (!state->filled) return;
    ++state->requests;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  const T* find(std::uint64_t i) const {
    if (!here.contains(i)) request();
    return pl::memory_store<T>::find(i);
  }
  std::size_t at_once() const { return 64; }
  void ask_ahead(std::span<const std::uint64_t> indices) const {
    request();
    here = {indices.begin(), indices.end()};
  }
  bool lacks(std::uint64_t i) const { return pl::memory_store<T>::find(i) == nullptr; }
};
struct far_cache_op : pl::cache_op {
  static constexpr bool blocking = true;
  std::shared_ptr<far_away> state;
  template <class In> using store = far_store<In>;
  template <class In> auto open_store(std::uint64_t size, const pl::replay_context&) const {
    return std::make_shared<store<In>>(size, state);
  }
};
inline auto slow_cache(std::shared_ptr<seen_threads> asked = std::make_shared<seen_threads>()) {
  return slow_cache_op{{{}, pl::bytes(500)}, std::move(asked)};
}
template <class Up> auto pulled(const pl::node<slow_cache_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

}  // namespace plumbline_test

using namespace plumbline_test;

namespace {
constexpr auto square = [](std::int64_t x) { return x * x; };
template <class P> std::vector<std::vector<std::uint32_t>> blocking_parts() {
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t n = 1; n <= pl::partition_of<P>.count; ++n)
    if (const auto p = pl::partition_of<P>.described(n); p.blocks) out.push_back(p.operators);
  return out;
}
}  // namespace

TEST_CASE("a cache that waits: laws") {
  op_laws(pl::range(40) | slow_cache());
  op_laws(pl::range(40) | pl::map(square) | slow_cache());
  op_laws(pl::range(40) | pl::shuffle(1) | pl::map(square) | slow_cache() | pl::batch(7));
  op_laws(pl::range(40) | pl::map(square) | slow_cache() | pl::map(square) | slow_cache() | pl::shuffle(2));
  op_laws(pl::range(40) | pl::map(square) | pl::cache() | pl::map(square) | slow_cache() | pl::map(square));
  op_laws(pl::range(40) | pl::map(square) | slow_cache() | pl::enumerate() | pl::batch(4));
  op_laws(pl::range(40) | pl::map(pl::blocking(square)) | slow_cache() | pl::map(square) | pl::batch(3));
}

TEST_CASE("a cache that waits: its parts") {
  const auto from = pl::range(40) | pl::map(square);
  using parts = std::vector<std::vector<std::uint32_t>>;
  CHECK(blocking_parts<decltype(pl::range(40) | slow_cache() | pl::map(square))>() == parts{{1, 2}});
  CHECK(blocking_parts<decltype(from | slow_cache() | pl::map(square))>() == parts{{1, 3}, {3}});
  CHECK(blocking_parts<decltype(from | pl::cache() | pl::map(square) | slow_cache())>() == parts{{1, 5}, {5}});
  CHECK(blocking_parts<decltype(pl::files(".") | pl::read_file() | slow_cache())>() == parts{{1, 2, 3}});
}

TEST_CASE("a cache that waits: a message's elements are requested in equal parts") {
  for (const auto& [chunk, groups] :
       {std::pair<std::size_t, std::vector<std::size_t>>{7, {3, 2, 2}}, {4, {2, 2}}, {3, {3}}, {2, {2}}, {1, {1}}}) {
    INFO("messages of " << chunk);
    const auto asked = std::make_shared<std::vector<std::size_t>>();
    auto s = pl::run(pl::range(static_cast<std::int64_t>(chunk)) | pl::map(square) | pairs_cache_op{{}, asked},
                     {.threads = 1, .io_threads = 1, .chunk = chunk});
    for (int epoch = 0; epoch != 2; ++epoch) {
      asked->clear();
      std::int64_t sum = 0;
      for (const auto x : s) sum += x;
      CHECK(*asked == groups);
      const auto n = static_cast<std::int64_t>(chunk);
      CHECK(sum == n * (n - 1) * (2 * n - 1) / 6);
    }
  }
}

TEST_CASE("a cache that waits: messages of elements that are found together are not shorter for its wait") {
  const auto state = std::make_shared<far_away>();
  auto s = pl::run(pl::range(256) | pl::map(square) | far_cache_op{{}, state}, {.threads = 1, .io_threads = 1});
  const auto requests = [&] {
    const int before = state->requests;
    std::int64_t sum = 0;
    for (const auto x : s) sum += x;
    CHECK(sum == 255 * 256 * 511 / 6);
    return state->requests - before;
  };
  requests();
  state->filled = true;
  for (int epoch = 0; epoch != 4; ++epoch) requests();
  CHECK(requests() < 128);  // about 4; with messages as short as the wait of each element makes them: 256
}

TEST_CASE("a cache that waits: what a nearer cache has is not requested, and the rest is requested together") {
  const temp_folder at;
  const auto asked = std::make_shared<std::vector<std::size_t>>();
  const auto check = [&](const auto& nearer, std::size_t wanted) {
    auto s = pl::run(pl::range(100) | pl::map(square) | pairs_cache_op{{}, asked} | pl::map(square) | nearer |
                         pl::map([](std::int64_t x) { return x + 1; }),
                     {.threads = 1, .io_threads = 1, .chunk = 50});
    for (int epoch = 0; epoch != 3; ++epoch) {
      asked->clear();
      std::int64_t i = 0;
      for (const auto x : s) {
        CHECK(x == i * i * i * i + 1);
        ++i;
      }
      CHECK(i == 100);
      CHECK(std::accumulate(asked->begin(), asked->end(), std::size_t{0}) == (epoch == 0 ? 100 : wanted));
      for (const auto n : *asked) CHECK((n == 2 || n == 3));
    }
  };
  std::size_t others = 0;
  for (std::uint64_t i = 0; i != 100; ++i) others += pl::share(0.5).holds(i) ? 0U : 1U;
  REQUIRE((others > 20 && others < 80));
  check(pl::cache(pl::share(0.5)), others);
  check(pl::cache(pl::share(0, 0)), 100);
  check(pl::cache(), 0);
  check(pl::cache(at / "share", pl::share(0.5)), others);
  check(pl::cache(at / "all"), 0);
}

TEST_CASE("a cache that waits: what one lacks is requested together of the next one") {
  const auto asked_far = std::make_shared<std::vector<std::size_t>>(),
             asked_near = std::make_shared<std::vector<std::size_t>>();
  const auto add = pl::map([](std::int64_t x) { return x + 1; });
  const auto same = pl::map([](std::int64_t x) { return x; });
  const auto sum = [](const auto& all) { return std::accumulate(all->begin(), all->end(), std::size_t{0}); };
  const auto check = [&](const auto& between, bool only_even, std::size_t least, std::size_t most) {
    INFO(only_even << " " << most);
    auto s = pl::run(pl::range(100) | pl::map(square) | pairs_cache_op{{}, asked_far} | add | between | add |
                         pairs_cache_op{{}, asked_near, 10, only_even} | add,
                     {.threads = 1, .io_threads = 1, .chunk = 50});
    for (int epoch = 0; epoch != 3; ++epoch) {
      asked_far->clear();
      asked_near->clear();
      std::int64_t i = 0;
      for (const auto x : s) {
        CHECK(x == i * i + 3);
        ++i;
      }
      CHECK(i == 100);
      CHECK(sum(asked_near) == 100);
      for (const auto n : *asked_near) CHECK(n == 10);
      CHECK(sum(asked_far) >= (epoch == 0 ? 100 : least));
      CHECK(sum(asked_far) <= (epoch == 0 ? 100 : most));
      for (const auto n : *asked_far) CHECK(n <= 3);
    }
  };
  check(same, false, 0, 0);
  check(same, true, 50, 50);
  check(pl::cache(), true, 0, 0);
  check(pl::cache(pl::share(0.5)), true, 2, 48);
}

namespace {
// The copies of 4 fail once `broken` is set.
struct fragile {
  static inline std::atomic<bool> broken{false};
  std::int64_t x = 0;
  explicit fragile(std::int64_t of) : x(of) {}
  fragile(const fragile& o) : x(o.x) {
    if (x == 4 && broken) throw std::runtime_error("cannot be copied");
  }
  fragile(fragile&&) = default;
  fragile& operator=(const fragile&) = default;
  fragile& operator=(fragile&&) = default;
  ~fragile() = default;
};
}  // namespace

TEST_CASE("a cache that waits: elements before one that fails while several are requested together are not lost") {
  std::vector<fragile> all;
  for (std::int64_t x = 0; x != 7; ++x) all.emplace_back(x);
  // requested together: 0 to 2, 3 and 4, 5 and 6
  auto s = pl::run(pl::elements(all) | pairs_cache_op{{}, std::make_shared<std::vector<std::size_t>>()},
                   {.threads = 1, .io_threads = 1, .chunk = 7});
  fragile::broken = true;
  for (std::int64_t x = 0; x != 4; ++x) {
    auto next = s.next();
    REQUIRE(next);
    CHECK(next->x == x);
  }
  CHECK_THROWS_AS(s.next(), pl::failure);
  fragile::broken = false;
}

TEST_CASE("a cache that waits: compute threads never do") {
  const auto asked = std::make_shared<seen_threads>(), computed = std::make_shared<seen_threads>();
  const auto p = pl::range(2000) | pl::map([computed](std::int64_t x) {
                   computed->here();
                   return x + 1;
                 }) |
                 slow_cache(asked) | pl::map([computed](std::int64_t x) {
                   computed->here();
                   return x + 1;
                 });
  auto s = pl::run(p, {.threads = 2});
  for (int epoch = 0; epoch != 3; ++epoch) {
    std::int64_t sum = 0;
    for (const auto x : s) sum += x;
    CHECK(sum == 1999 * 2000 / 2 + 2 * 2000);
  }
  CHECK(!asked->all.empty());
  for (const auto id : asked->all) CHECK(computed->all.count(id) == 0);
}
