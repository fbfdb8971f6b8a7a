// Lets each allocation of a run fail, one at a time. The failure names the operator and the element whose function
// requested the memory, or no operator if the executor requested it.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/plumbline.hpp>

#include <cstdlib>
#include <new>

namespace {

/// The operator and the element whose function this thread is running.
struct site {
  std::uint32_t op = 0;  // 0: none
  std::int64_t index = -1;
};
thread_local site here;
/// The number of allocations that may still succeed; below 0: all. Counts only sizes that are multiples of `only`.
std::atomic<long> left{-1};
std::atomic<std::size_t> only{1};
site failed;

void* allocated(std::size_t size) {
  if (left.load(std::memory_order_relaxed) >= 0 && size % only == 0 && left.fetch_sub(1) == 0) {
    failed = here;
    return nullptr;
  }
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* p = allocated(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace plumbline_test;

namespace {

class within {
 public:
  within(std::uint32_t op, std::int64_t index) : before_(std::exchange(here, {op, index})) {}
  ~within() { here = before_; }

 private:
  site before_;
};

/// An element of a size that nothing else has.
struct large {
  std::array<char, 997> room{};
  std::string text;
  explicit large(std::string s) : text(std::move(s)) {}
};

std::string words(std::int64_t x) { return "a string that is longer than small ones are, " + std::to_string(x); }
std::int64_t index_of(const std::string& s) { return std::stoll(s.substr(s.rfind(' ') + 1)); }

auto to_words(std::uint32_t op) {
  return pl::map([op](std::int64_t x) {
    const within w(op, x);
    return words(x);
  });
}
auto not_third(std::uint32_t op) {
  return pl::filter([op](const std::string& s) {
    const within w(op, index_of(s));
    return std::string(s).size() > 3 && index_of(s) % 3 != 0;
  });
}
auto copies(std::uint32_t op) {
  return pl::flat_map([op](const std::string& s) {
    const within w(op, index_of(s));
    return std::vector<std::string>(2, s);
  });
}
/// Emits each copy before it makes the next.
struct twice_op : pl::op_base {
  static constexpr std::string_view name = "twice";
  std::uint32_t op;
  template <class In> using output = std::string;
  template <class In> void expand(const pl::no_context&, In&& s, auto&& emit) const {
    const auto index = index_of(s);
    for (int i = 0; i != 2; ++i) {
      auto made = [&] {
        const within w(op, index);
        return std::string(s);
      }();
      if (!emit(std::move(made))) return;
    }
  }
};

/// Runs p repeatedly, each time with a later allocation that fails, until a run needs fewer allocations than that.
template <class P> void one_after_another(const P& p, pl::run_options how, std::size_t multiples_of, long step) {
  std::size_t all = 0, got = 0;
  for (auto s = pl::run(p, how); s.next(); ++all) {
  }
  long n = 0;
  for (;; n += step) {
    got = 0;
    auto s = pl::run(p, how);
    failed = {};
    only = multiples_of;
    left = n;
    std::string text;
    std::uint32_t op = 0;
    std::uint64_t index = 0;
    bool threw = false;
    try {
      while (s.next()) ++got;
    } catch (const pl::failure& f) {
      left = -1;
      threw = true;
      text = f.what();
      op = f.operator_number();
      index = f.at().index;
      CHECK_THROWS_AS(f.rethrow_cause(), std::bad_alloc);
    }
    const bool fired = left.exchange(-1) < 0;
    INFO("allocation " << n << ": " << text);
    REQUIRE((fired || !threw));
    if (!fired) break;
    if (!threw)  // the run did without it (a free list that could not grow)
      REQUIRE(got == all);
    else if (failed.op != 0) {
      REQUIRE(op == failed.op);
      REQUIRE(index == static_cast<std::uint64_t>(failed.index));
    } else {
      // requested by the executor or by an operator that keeps elements, never by one that only calls a function
      for (const char* called : {": map ", ": filter ", ": flat_map ", ": twice "})
        REQUIRE(text.find(called) == std::string::npos);
    }
  }
  REQUIRE(n > step);
}

}  // namespace

TEST_CASE("allocations: a failed one is reported for the operator and element that requested it") {
  const watchdog guard("allocations");
  const auto how = with(0);
  one_after_another(pl::range(20) | to_words(2) | not_third(3) | copies(4) | pl::shuffle(5, 1) | pl::batch(3), how, 1,
                    1);
  one_after_another(serial(20) | to_words(2) | twice_op{{}, 3} | not_third(4) | pl::skip(1) | pl::take(20), how, 1, 1);
  one_after_another(pl::zip(serial(9) | to_words(2), pl::range(9) | to_words(4)) | pl::cache() | pl::repeat(2), how, 1,
                    1);
}

TEST_CASE("allocations: with threads, a failure to get room in a message names no operator") {
  const watchdog guard("allocations with threads");
  const auto into_large = [](std::uint32_t op) {
    return pl::map([op](std::string s) {
      const within w(op, index_of(s));
      return large(std::move(s));
    });
  };
  // chunks of `large` elements have buffers of their own; only sizes that are multiples of sizeof(large) fail
  const auto by_number = pl::range(600) | to_words(2) | not_third(3) | into_large(4) | pl::skip(1);
  const auto in_order = serial(600) | to_words(2) | twice_op{{}, 3} | into_large(4) | pl::take(900);
  for (const std::size_t threads : {1U, 2U}) {
    one_after_another(by_number, with(threads), sizeof(large), 1);
    one_after_another(in_order, with(threads), sizeof(large), 1);
  }
}
