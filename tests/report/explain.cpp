// explain() is read by people: its text is compared exactly, and is the same from both compilers.
#include <catch2/catch.hpp>
#include <plumbline/plumbline.hpp>

#include <sstream>

namespace pl = plumbline;

namespace {
template <class P> std::string text(const P& p) {
  std::ostringstream out;
  out << '\n' << pl::explain(p);
  return out.str();
}
struct sample {
  pl::tensor<float> x;
  int y;
};
}  // namespace

TEST_CASE("explain: a training pipeline", "[explain]") {
  const auto p = pl::range<1000>() | pl::shuffle(1) | pl::map([](std::int64_t x) { return static_cast<double>(x); }) |
                 pl::map([](double x, pl::rng& r) {
                   return sample{pl::tensor<float>({3}), static_cast<int>(x + r.uniform())};
                 }) |
                 pl::batch<32>();
  CHECK(text(p) == R"(
5 operators in 2 stages
#  operator     yields           count  order     random  stage  runs                                cache after it
-  -----------  ---------------  -----  --------  ------  -----  ----------------------------------  -----------------------
1  range        int64            1000   fixed     no      1      random access by index              yes
2  shuffle      int64            1000   permuted  no      -      free: only indices change           yes
3  map(lambda)  double           1000   permuted  no      1      parallel: const-callable            yes
4  map(lambda)  sample           1000   permuted  seeded  1      parallel: const-callable            no: random (operator 4)
5  batch        columns<sample>  32     permuted  seeded  1+2    parallel: fills slots; then serial  no: random (operator 4)
)");
}

TEST_CASE("explain: joins, serial parts, endless streams, elements that cannot be kept", "[explain]") {
  const auto left = pl::generate([n = 0]() mutable { return std::optional<int>(n++); }) |
                    pl::filter([](int x) { return x % 2 == 0; });
  const auto right = pl::elements({std::string("a"), std::string("b")}) | pl::repeat();
  const auto p =
      pl::zip(left, right) | pl::map([](const auto& x) { return std::make_unique<int>(std::get<0>(x)); }) | pl::take(3);
  CHECK(text(p) == R"(
7 operators in 5 stages
#  operator        yields                count    order  random  stage  runs                            cache after it
-  --------------  --------------------  -------  -----  ------  -----  ------------------------------  ------------------------
1  generate        int32                 unknown  fixed  no      1      serial: one after another       yes
2  filter(lambda)  int32                 unknown  fixed  no      2      parallel: const-callable        yes
3  elements        string                2        fixed  no      3      random access by index          yes
4  repeat          string                endless  fixed  no      -      free: only indices change       no: endless (operator 4)
5  zip             tuple<int32, string>  unknown  fixed  no      3      serial: chooses its upstream    yes
6  map(lambda)     unique_ptr<int32>     unknown  fixed  no      4      parallel: const-callable        no: cannot be copied
7  take            unique_ptr<int32>     0 to 3   fixed  no      5      serial: keeps a stream's state  no: cannot be copied
)");
}

TEST_CASE("explain: operators that were given a name", "[explain]") {
  const auto decode = pl::map([](std::int64_t x) { return x + 1; }).named("decode");
  const auto p =
      pl::range(4) | decode | pl::filter([](std::int64_t x) { return x != 2; }).named("not two") |
      pl::flat_map([](std::int64_t x) { return std::vector<int>(static_cast<std::size_t>(x)); }).named("split") |
      pl::interleave([](int x) { return pl::range(x); }).named("open");
  std::vector<std::string> names;
  for (const auto& r : pl::layout(p)) names.push_back(r.name);
  CHECK(names == std::vector<std::string>{"range", "decode", "not two", "split", "open"});
  const auto failing = pl::range(4) | pl::map([](std::int64_t x) {
                                        return x == 2 ? throw std::runtime_error("two") : x;
                                      }).named("decode");
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(failing, {.threads = threads, .parallelism = {{"decode", 1}}});
    try {
      while (s.next()) {
      }
      FAIL("no failure");
    } catch (const pl::failure& f) {
      CHECK(f.operator_name() == "decode");
      CHECK(std::string(f.what()) == "plumbline: decode (operator 2 of 2) failed at element 2 of range, epoch 0: two");
    }
  }
}

TEST_CASE("explain: a split that differs in each epoch is pointed out", "[explain]") {
  const auto all = pl::range<9>() | pl::shuffle(1);
  CHECK_THAT(text(all | pl::take(3)),
             Catch::Matchers::Contains("note: take (operator 3) keeps other elements in each epoch, as their order "
                                       "changes; for a fixed split shuffle with each_epoch::same before it\n"));
  CHECK_THAT(text(all | pl::skip(3)), Catch::Matchers::Contains("note: skip (operator 3)"));
  CHECK_THAT(text(all | pl::shard(3, 1)), !Catch::Matchers::Contains("note"));
  CHECK_THAT(text(pl::range<9>() | pl::shuffle(1, pl::each_epoch::same) | pl::take(3)),
             !Catch::Matchers::Contains("note"));
}

TEST_CASE("explain: the reason against a cache is found upstream of the operator, not in a branch", "[explain]") {
  const auto noise = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(5)); };
  const auto p = pl::concat(pl::range(3) | pl::map(noise), pl::range(3) | pl::map(noise));
  CHECK(pl::explain(p).text.find("no: random (operator 4)") != std::string::npos);
}

namespace {
struct counting_cache_op : pl::part_cache_op {
  static constexpr bool blocking = true;
  std::string report() const { return "so far: nothing\n"; }
};
}  // namespace

TEST_CASE("explain: an operator's own report of its runs, and a cache that waits", "[explain]") {
  CHECK(text(pl::range<9>() | pl::map([](std::int64_t x) { return x; }) | counting_cache_op{{{}, pl::bytes(100)}}) ==
        R"(
3 operators in 3 stages
#  operator          yields  count  order  random  stage  runs                                  cache after it
-  ----------------  ------  -----  -----  ------  -----  ------------------------------------  --------------
1  range             int64   9      fixed  no      1      random access by index                yes
2  map(lambda)       int64   9      fixed  no      2      parallel: const-callable              yes
3  cache(100 bytes)  int64   9      fixed  no      3      parallel, I/O threads: kept by index  yes
cache(100 bytes) (operator 3):
so far: nothing
)");
}
