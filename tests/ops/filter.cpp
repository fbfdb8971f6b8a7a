#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

namespace {
// Which elements are kept: none, all, the first or last of a block, or no pattern.
const auto keeps = [](int which) {
  return [which](std::int64_t x) {
    switch (which) {
      case 0:
        return false;
      case 1:
        return true;
      case 2:
        return x % 512 == 0;
      case 3:
        return x % 512 == 511;
      default:
        return pl::hash_combine(7, static_cast<std::uint64_t>(x)) % 2 == 0;
    }
  };
};
const auto next = [](std::int64_t x) { return x + 1; };
const auto small = [](std::int64_t x) { return static_cast<std::uint8_t>(x); };
}  // namespace

TEST_CASE("filter: before operators that store plain values contiguously, whichever elements it keeps") {
  for (int which = 0; which != 5; ++which)
    for (const std::int64_t n : {0, 1, 511, 512, 513, 1025, 2600}) {
      const auto kept = pl::range(n) | pl::map(next) | pl::filter(keeps(which));
      op_laws(kept);
      op_laws(kept | pl::batch(256));
      op_laws(kept | pl::map(small) | pl::batch(7));
      op_laws(pl::range(n) | pl::map(small) | pl::filter([](std::uint8_t x) { return x % 3 != 0; }) | pl::batch<64>());
    }
  op_laws(pl::range(5000) | pl::filter(keeps(4)) | pl::filter(keeps(3)) | pl::shuffle(100, 3) | pl::batch(3));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t x) { return pl::range(200 * x) | pl::filter(keeps(4)); }) |
          pl::batch(50));
  op_laws(pl::concat(pl::range(700) | pl::filter(keeps(4)), pl::range(700) | pl::filter(keeps(2))) | pl::batch(100));
  op_laws(pl::range(600) | pl::filter(keeps(4)) | pl::repeat(3) | pl::batch(100));
}

TEST_CASE("filter: a predicate may draw, or wait") {
  const auto tenth = [](std::int64_t, pl::rng& r) { return r.uniform() < 0.1; };
  const auto p = pl::range(2000) | pl::filter(tenth);
  static_assert(pl::facts_of<decltype(p)>.draws == pl::randomness::seeded);
  op_laws(p);
  op_laws(serial(900) | pl::filter(tenth) | pl::map(small) | pl::batch(7) | pl::repeat(2));
  const auto kept = reference_texts(p, {0, 0}).size();
  CHECK(kept > 140);
  CHECK(kept < 260);
  CHECK(reference_texts(p, {0, 0}) != reference_texts(p, {0, 1}));
  // random only where it has to be
  const auto either = [](auto&&...) { return true; };
  static_assert(pl::facts_of<decltype(pl::range(9) | pl::filter(either))>.draws == pl::randomness::none);

  const auto waits = pl::range(300) | pl::filter(pl::blocking(keeps(4))).named("known");
  static_assert(pl::facts_of<decltype(waits)>.blocking);
  op_laws(waits);
  const auto parts = [](std::int64_t x) { return std::vector<std::int64_t>(static_cast<std::size_t>(x % 4), x); };
  op_laws(waits | pl::flat_map(pl::blocking(parts)).named("parts") | pl::batch(10));
}

TEST_CASE("filter: plain elements that are large, or can only be moved") {
  struct large {
    std::int64_t number;
    std::array<float, 4096> rest;
  };
  struct handle {
    handle() = default;
    handle(handle&&) = default;
    handle& operator=(handle&&) = default;
    std::int64_t number;
  };
  const auto kept = [](auto make) {
    std::vector<std::int64_t> numbers;
    auto s = pl::run(pl::range(300) | pl::map(make) | pl::filter([](const auto& x) { return x.number % 3 == 0; }),
                     with(0, 1));
    while (auto x = s.next()) numbers.push_back(x->number);
    return numbers;
  };
  std::vector<std::int64_t> thirds;
  for (std::int64_t x = 0; x < 300; x += 3) thirds.push_back(x);
  CHECK(kept([](std::int64_t x) { return large{x, {}}; }) == thirds);
  CHECK(kept([](std::int64_t x) {
          handle h;
          h.number = x;
          return h;
        }) == thirds);
}

namespace {
/// Emits an lvalue.
struct same_op : pl::op_base {
  static constexpr std::string_view name = "same";
  template <class In> using output = In;
  template <class In> void expand(const pl::element_context&, In&& x, auto&& emit) const { emit(x); }
};
}  // namespace

TEST_CASE("filter: behind a user-defined operator that emits an lvalue") {
  std::int64_t want = 0;
  for (std::int64_t x = 0; x != 3000; ++x) want += keeps(4)(x) ? x : 0;
  const auto total = [](const auto& p, std::size_t threads) {
    std::int64_t sum = 0;
    for (const auto& b : pl::run(p, with(threads)))
      for (const auto x : b.span()) sum += x;
    return sum;
  };
  for (const auto threads : {0U, 2U}) {
    CHECK(total(pl::range(3000) | same_op() | pl::filter(keeps(4)) | pl::batch<7>(), threads) == want);
    CHECK(total(pl::range(3000) | pl::filter(keeps(4)) | same_op() | pl::batch<7>(), threads) == want);
    CHECK(total(pl::range(3000) | same_op() | pl::filter(keeps(4)) | pl::shuffle(9, 1) | pl::batch<7>(), threads) ==
          want);
  }
}

TEST_CASE("filter: elements kept before an error are delivered before it, and are counted") {
  const auto until = [](std::int64_t bad) {
    return [bad](std::int64_t x) {
      if (x == bad) throw std::runtime_error("not this one");
      return x % 2 == 0;
    };
  };
  for (const std::int64_t bad : {0, 1, 300, 511, 512, 1300})
    for (const auto threads : {0U, 2U}) {
      const auto p = pl::range(5000) | pl::filter(until(bad)) | pl::batch(4);
      auto s = pl::run<pl::tracing::counters>(p, with(threads));
      std::int64_t came = 0;
      CHECK_THROWS_WITH(
          [&] {
            while (auto b = s.next())
              for (const auto x : b->span()) REQUIRE(x == 2 * came++);
          }(),
          Catch::Contains("failed at element " + std::to_string(bad) + " of range") && Catch::Contains("not this one"));
      CHECK(came == (bad + 1) / 2 / 4 * 4);
      if (threads != 0) continue;  // threads run ahead
      // one element of the message in which something is thrown may not be counted
      const auto kept = static_cast<std::int64_t>(s.traced().counters[1].completions);
      CHECK(kept >= (bad + 1) / 2 - 1);
      CHECK(kept <= (bad + 1) / 2);
    }
  for (const auto threads : {0U, 2U}) {
    auto e = pl::run<pl::tracing::counters>(pl::range(900) | pl::filter(keeps(4)) | pl::flat_map([](std::int64_t x) {
                                              return std::array{x, -x, x};
                                            }) | pl::batch(4),
                                            with(threads));
    std::uint64_t parts = 0;
    while (auto b = e.next()) parts += b->size();
    CHECK(e.traced().counters[0].completions == 900);
    CHECK(3 * e.traced().counters[1].completions == parts);
    CHECK(e.traced().counters[2].completions == parts);
    auto s = pl::run<pl::tracing::counters>(pl::range(5000) | pl::filter(keeps(4)) | pl::map(next) | pl::batch(4),
                                            with(threads));
    std::uint64_t kept = 0;
    while (auto b = s.next()) kept += b->size();
    const auto t = s.traced();
    CHECK(t.counters[0].completions == 5000);
    CHECK(t.counters[1].completions == kept);
    CHECK(t.counters[2].completions == kept);
  }
}
