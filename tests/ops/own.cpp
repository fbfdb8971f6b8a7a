// User-defined operators, correct and incorrect: what they throw is reported as theirs, what their rule need not state
// is deduced, and what they must not do is rejected.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/plumbline.hpp>

#include <fstream>

#include <sys/resource.h>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

using numbers = std::vector<std::int64_t>;

struct bare : pl::op_base {
  template <class In> using output = In;
};
struct silent_rule : bare {
  static constexpr pl::stream_facts rule(pl::stream_facts in) {
    in.count.least = 0;
    return in;
  }
};
/// States nothing about indices.
struct odd_op : pl::op_base {
  static constexpr std::string_view name = "odd";
  template <class In> bool keep(const pl::element_context&, const In& x) const { return x % 2 != 0; }
};
struct every_other_op : silent_rule {
  static constexpr std::string_view name = "every_other";
  template <class In> struct kernel {
    bool odd = false;
    kernel(const every_other_op&, const pl::stream_context&) {}
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      if (odd) emit(std::move(x), at);
      odd = !odd;
    }
  };
};
/// Each element twice; with `catches`, wrongly catches what `emit` throws.
struct twice_op : bare {
  static constexpr std::string_view name = "twice";
  bool catches = false;
  template <class In> void expand(const pl::element_context&, const In& x, auto&& emit) const {
    for (int i = 0; i != 2; ++i) try {
        emit(x);
      } catch (...) {
        if (!catches) throw;
      }
  }
};
struct boom_op : pl::op_base {
  static constexpr std::string_view name = "boom";
  std::int64_t bad = 0;
  template <class In> In transform(const pl::element_context&, In&& x) const {
    if (x == bad) throw std::runtime_error("boom at " + std::to_string(x));
    return std::move(x);
  }
};
auto boom(std::int64_t bad) {
  boom_op op;
  op.bad = bad;
  return op;
}
struct outside_op : silent_rule {
  static constexpr std::string_view name = "outside";
  std::uint64_t by = 0;
  pl::element_index map_index(pl::element_index p, std::uint64_t up) const {
    if (by == 1) throw std::runtime_error("no place");
    return {p.index + up, p.epoch};
  }
  std::uint64_t mapped_size(std::uint64_t up) const { return up; }
};

/// Takes many elements at once, and throws if it is given none.
struct summed_op : silent_rule {
  static constexpr std::string_view name = "summed";
  template <class In> struct kernel {
    In sum{};
    kernel(const summed_op&, const pl::stream_context&) {}
    void push(In&& x, const pl::lineage&, auto&&) { sum += x; }
    void push_all(std::span<In> xs, auto&&) {
      if (xs.empty()) throw std::logic_error("none");
      for (const auto x : xs) sum += x;
    }
    void finish(auto&& emit) { emit(std::move(sum), pl::lineage{}); }
  };
};

/// The message of the run's failure, or an empty text; `got` receives the elements before it.
template <class P> std::string words(const P& p, std::size_t threads, numbers* got = nullptr) {
  try {
    for (auto&& x : pl::run(p, with(threads)))
      if constexpr (std::same_as<typename P::element, std::int64_t>)
        if (got != nullptr) got->push_back(x);
  } catch (const pl::failure& f) {
    return f.what();
  }
  return "";
}

template <class P> numbers all(const P& p, std::size_t threads) {
  numbers got;
  REQUIRE(words(p, threads, &got) == "");
  return got;
}

}  // namespace

TEST_CASE("own operators: streams are not indexed behind an operator that may emit nothing, whatever its rule says") {
  const auto odd = pl::range(10) | odd_op();
  const auto other = pl::range(10) | every_other_op();
  static_assert(!decltype(odd)::type_facts.indexed && !decltype(other)::type_facts.indexed);
  static_assert(decltype(pl::range(10) | boom(1))::type_facts.indexed);
  for (const std::size_t threads : {0U, 2U}) {
    CHECK(all(odd | pl::take(3), threads) == numbers{1, 3, 5});
    CHECK(all(odd | pl::skip(3), threads) == numbers{7, 9});
    CHECK(all(odd | pl::shard(2, 0), threads) == numbers{1, 5, 9});
    CHECK(all(other | pl::take(2), threads) == numbers{1, 3});
  }
}

TEST_CASE("own operators: what an element kernel throws is reported as its own, with the element") {
  for (const std::size_t threads : {0U, 2U}) {
    const std::string at = "failed at element 1234 of range, epoch 0: boom at 1234";
    numbers got;
    CHECK(words(pl::range(3000) | boom(1234), threads, &got) == "plumbline: boom (operator 2 of 2) " + at);
    CHECK(got.size() == 1234);
    CHECK(words(pl::range(3000) | boom(1234) | pl::batch(100), threads) == "plumbline: boom (operator 2 of 3) " + at);
    CHECK(words(pl::range(3000) | odd_op() | boom(1235) | pl::cache() | pl::shuffle(2, 1), threads) ==
          "plumbline: boom (operator 3 of 5) failed at element 1235 of range, epoch 0: boom at 1235");
    CHECK(words(pl::zip(pl::range(4), pl::range(4) | boom(2) | odd_op()), threads) ==
          "plumbline: boom (operator 3 of 5) failed at element 2 of range, epoch 0: boom at 2");
  }
}

TEST_CASE("own operators: what the next operator throws is reported as its own, even if expand() catches it") {
  twice_op twice;
  for (const bool catches : {false, true})
    for (const std::size_t threads : {0U, 2U}) {
      twice.catches = catches;
      numbers got;
      CHECK(words(pl::range(1000) | twice | boom(7) | pl::filter([](std::int64_t) { return true; }), threads, &got) ==
            "plumbline: boom (operator 3 of 4) failed at element 7 of range, part 0, epoch 0: boom at 7");
      CHECK(got == numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
    }
}

TEST_CASE("own operators: map_index() that returns an index past the end, or throws") {
  outside_op behind, throwing;
  throwing.by = 1;
  for (const std::size_t threads : {0U, 2U}) {
    CHECK_THAT(words(pl::elements(numbers{1, 2, 3}) | behind | pl::take(1), threads),
               Contains("outside (operator 2 of 3) failed: map_index() returned an index past the last element"));
    CHECK_THAT(words(pl::range(3) | throwing, threads), Contains("outside (operator 2 of 2) failed: no place"));
  }
}

TEST_CASE("own operators: a kernel that takes many at once is never given none") {
  for (const std::size_t threads : {0U, 2U}) {
    CHECK(all(pl::range(1000) | summed_op(), threads) == numbers{499'500});
    CHECK(all(pl::range(1000) | pl::filter([](std::int64_t x) { return x > 900; }) | summed_op(), threads) ==
          numbers{94'050});
  }
}

namespace {
// take, without a check in push: it counts on demand().
struct trusting_op : silent_rule {
  static constexpr std::string_view name = "trusting";
  template <class In> struct kernel {
    std::uint64_t left = 3;
    kernel(const trusting_op&, const pl::stream_context&) {}
    std::uint64_t demand() const { return left; }
    void push(In&& x, const pl::lineage& at, auto&& emit) {
      --left;
      emit(std::move(x), at);
    }
  };
};
}  // namespace

TEST_CASE("own operators: a kernel gets no more than it demands") {
  const auto five = pl::flat_map([](std::int64_t x) { return std::vector<std::int64_t>(5, x); });
  for (const std::size_t threads : {0U, 1U, 2U}) {
    CHECK(all(pl::range(4) | five | trusting_op(), threads) == numbers{0, 0, 0});
    CHECK(all(pl::range(4) | trusting_op(), threads) == numbers{0, 1, 2});
    CHECK(all(pl::range(4) | five | trusting_op() | trusting_op(), threads) == numbers{0, 0, 0});
  }
}

TEST_CASE("failures: what a batch of plain numbers throws is reported as the batch's") {
  if (plumbline_test::sanitized) return;  // sanitizers need all of the address space
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  for (const std::size_t threads : {0U, 2U}) {
    const auto no_room = [&](std::int64_t x) {
      std::ifstream pages("/proc/self/statm");
      rlim_t used = 0;
      pages >> used;
      const rlimit less{used * 4096 + (16U << 20), before.rlim_max};
      if (x == 0) ::setrlimit(RLIMIT_AS, &less);
      return x;
    };
    const auto text = words(pl::range(10) | pl::map(no_room) | pl::batch(8'000'000), threads);
    ::setrlimit(RLIMIT_AS, &before);
    CHECK_THAT(text, Contains("batch (operator 3 of 3) failed: std::bad_alloc"));
  }
}
