// pick_best over template parameters: every combination is made, named and compared.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>
#include <tune/decided.hpp>

#include <plumbline/tune.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
template <int Microseconds> std::int64_t slow(std::int64_t x) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(Microseconds);
  while (std::chrono::steady_clock::now() < until) {
  }
  return x + Microseconds;
}
pl::optimize_options quick(double seconds) {
  pl::optimize_options o;
  o.run = with(2, {}, 11);
  o.seconds = seconds;
  o.caches = false;
  o.progress = [](const std::string&) {};
  return o;
}
enum class how : unsigned char { whole = 1, parts = 3 };
}  // namespace

TEST_CASE("choices: all combinations, the last parameter first") {
  using some = pl::detail::combinations<pl::choices<bool>, pl::choices<int, 7, -8, 9>, pl::choices<how, how::parts>>;
  STATIC_REQUIRE(some::count == 6);
  CHECK(some::name(0) == "<false, 7, 3>");
  CHECK(some::name(1) == "<false, -8, 3>");
  CHECK(some::name(5) == "<true, 9, 3>");
  const auto values = []<bool A, int B, how C> { return std::tuple(A, B, C); };
  CHECK(some::made_by<2>(values) == std::tuple(false, 9, how::parts));
  CHECK(some::made_by<3>(values) == std::tuple(true, 7, how::parts));
}

TEST_CASE("pick_best over template parameters keeps the fastest, by its name") {
  const watchdog guard("pick_best over template parameters");
  int made = 0;
  const auto make = [&made]<bool Twice, int Microseconds> {
    ++made;
    const auto once = pl::range(2000) | pl::map(slow<Microseconds>);
    if constexpr (Twice)
      return once | pl::map(slow<Microseconds>) | pl::batch(10);
    else
      return once | pl::batch(10);
  };
  auto best = pl::pick_best<pl::choices<bool>, pl::choices<int, 150, 10>>(quick(0.8), make);
  CHECK(made == 4);
  const auto& why = best.why();
  REQUIRE(why.alternatives.size() == 4);
  CHECK(why.taken == fastest(why));
  CHECK_THAT(why.alternatives[0].what, Catch::Matchers::StartsWith("<false, 150>: range | map"));
  CHECK_THAT(why.alternatives[1].what, Catch::Matchers::StartsWith("<false, 10>: range | map"));
  CHECK_THAT(why.alternatives[3].what, Catch::Matchers::StartsWith("<true, 10>: range | map"));
  CHECK_THAT(pl::explain(best).text, Contains("<true, 150>: range"));
  CHECK_THAT(pl::page(best), Contains("&lt;true, 150&gt;: range"));
  const texts of[] = {
      reference_texts(make.operator()<false, 150>(), {11, 0}), reference_texts(make.operator()<false, 10>(), {11, 0}),
      reference_texts(make.operator()<true, 150>(), {11, 0}), reference_texts(make.operator()<true, 10>(), {11, 0})};
  CHECK(drained(best) == of[why.taken]);
  // a single choice; and the default options
  auto only = pl::pick_best<pl::choices<int, 3>>(quick(0.05), []<int N> { return pl::range(N); });
  CHECK(drained(only).size() == 3);
  CHECK(only.why().alternatives.size() == 1);
}
