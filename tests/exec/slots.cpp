// The open streams of interleave: none is lost or delivered twice, however soon an epoch is abandoned and restarted.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/plumbline.hpp>

using namespace plumbline_test;

namespace {
// A cursor with the single element x.
struct first_of {
  using element = std::int64_t;
  [[maybe_unused]] static constexpr pl::cursor_traits traits{};
  std::int64_t x;
  void begin(std::uint64_t) {}
  template <class Sink> pl::pump_result pump(Sink&& sink, std::size_t) {
    sink(std::int64_t{x}, pl::lineage{});
    return pl::pump_result::ended;
  }
};
struct make_first {
  std::uint32_t id = 1;
  template <class P> first_of operator()(const P& p, std::uint64_t) const {
    return {static_cast<std::int64_t>(p.facts().count.least)};
  }
};
}  // namespace

TEST_CASE("slots: a late begin() leaves the next stream to the begin() that belongs to it") {
  using numbers = decltype(pl::range(1));
  const auto job = std::make_shared<pl::detail::slot_job<numbers>>();
  pl::detail::slot_producer_cursor<numbers, make_first> producer(job, {});
  const auto opened = [&](std::int64_t n) {
    job->next.emplace(std::make_shared<const numbers>(pl::range(n)), pl::lineage{});
    return ++job->ticket;
  };
  const auto given = [&] {
    std::int64_t got = 0;
    producer.pump([&](std::int64_t x, const pl::lineage&) { got = x; }, 1);
    return got;
  };
  const auto one = opened(11);
  producer.begin(one);
  CHECK(given() == 11);
  const auto two = opened(12), three = opened(13);
  producer.begin(two);  // overtaken before it ran
  CHECK(given() == 0);
  producer.begin(three);
  CHECK(given() == 13);
  producer.begin(three);
  CHECK(given() == 0);
}

TEST_CASE("slots: epochs abandoned at any moment, on many threads") {
  const watchdog guard("slots: epochs abandoned");
  const auto p = pl::range(40) |
                 pl::interleave([](std::int64_t i) { return pl::range(i * 1000, i * 1000 + 50); }, {.block_length = 3});
  auto whole = pl::run(p, with(0));
  std::vector<std::int64_t> want;
  while (auto x = whole.next()) want.push_back(*x);
  auto s = pl::run(p, with(8));
  std::uint64_t random = 1;
  for (int epoch = 0; epoch != (sanitized ? 300 : 5000); ++epoch) {
    s.restart();
    random = pl::hash_combine(random, 1);
    const auto most = random % 16 == 0 ? want.size() : random % 4;
    for (std::size_t i = 0; i != most; ++i) REQUIRE(s.next() == want[i]);
  }
}
