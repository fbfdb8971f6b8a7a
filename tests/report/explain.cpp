// explain() is read by people: its text is pinned, and the same from both compilers.
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
1  range        int64            1000   fixed     no      1      made by number                      yes
2  shuffle      int64            1000   permuted  no      -      free: only numbers change           yes
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
3  elements        string                2        fixed  no      3      made by number                  yes
4  repeat          string                endless  fixed  no      -      free: only numbers change       no: endless (operator 4)
5  zip             tuple<int32, string>  unknown  fixed  no      3      serial: chooses its upstream    yes
6  map(lambda)     unique_ptr<int32>     unknown  fixed  no      4      parallel: const-callable        no: cannot be copied
7  take            unique_ptr<int32>     0 to 3   fixed  no      5      serial: keeps a stream's state  no: cannot be copied
)");
}

TEST_CASE("explain: the reason against a cache is looked for below the operator, not in another branch", "[explain]") {
  const auto noise = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(5)); };
  const auto p = pl::concat(pl::range(3) | pl::map(noise), pl::range(3) | pl::map(noise));
  CHECK(pl::explain(p).text.find("no: random (operator 4)") != std::string::npos);
}
