// tracing::symbols: each operator has a frame of its own, and nothing else changes.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>

#include <plumbline/plumbline.hpp>
#include <plumbline/symbols.hpp>

#include <fstream>
#include <numeric>
#include <set>

using namespace plumbline_test;

namespace {

const auto noise = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(50)); };
const auto even = [](std::int64_t x) { return x % 2 == 0; };
const auto written = [](std::int64_t x) { return std::to_string(x); };

template <class Trace, class P> auto elements_of(const P& p, std::size_t threads) {
  auto s = pl::run<Trace>(p, with(threads));
  std::vector<typename P::element> all;
  for (int epoch = 0; epoch != 2; ++epoch)
    for (auto& x : s) all.push_back(x);
  return all;
}
template <class P> void same_with_frames(const P& p) {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    INFO(threads << " threads");
    CHECK(elements_of<pl::tracing::symbols>(p, threads) == elements_of<pl::tracing::off>(p, threads));
  }
}
}  // namespace

TEST_CASE("symbols: the same elements, whatever the form of the operators") {
  same_with_frames(pl::range(100) | pl::map(noise) | pl::filter(even) | pl::map(written));
  same_with_frames(pl::range(100) | pl::shuffle(3) | pl::take(40) | pl::repeat<2>() | pl::map(noise));
  same_with_frames(pl::range(100) | pl::filter(even) | pl::shuffle(8, 3) | pl::map(noise) | pl::take(30));
  same_with_frames(pl::range(20) | pl::flat_map([](std::int64_t n) { return std::vector(3, n); }) | pl::map(noise));
  same_with_frames(pl::range(20) |
                   pl::interleave([](std::int64_t n) { return pl::range(n) | pl::map(noise); }, {.cycle_length = 3}));
  same_with_frames(pl::zip(pl::range(30) | pl::map(noise), pl::range(40) | pl::filter(even)));
  same_with_frames(pl::concat(pl::range(30) | pl::map(noise), pl::range(9)) | pl::shuffle(5) | pl::map(written));
  same_with_frames(pl::range(60) | pl::map(written) | pl::cache() | pl::shuffle(9));
  same_with_frames(pl::range(60) | pl::map(written) | pl::prefetch(2) | pl::shuffle(8, 7) | pl::group(7) |
                   pl::prefetch(2));
}

TEST_CASE("symbols: batches, in slots, by view and by a serial kernel") {
  const auto sums = [](const auto& p, auto trace, std::size_t threads) {
    std::vector<std::int64_t> out;
    auto s = pl::run<decltype(trace)>(p, with(threads));
    for (auto& b : s) out.push_back(std::accumulate(b.data(), b.data() + b.size(), std::int64_t{0}));
    return out;
  };
  const auto check = [&](const auto& p) {
    for (const std::size_t threads : {0U, 2U})
      CHECK(sums(p, pl::tracing::symbols{}, threads) == sums(p, pl::tracing::off{}, threads));
  };
  check(pl::range(1000) | pl::map(noise) | pl::batch<64>());
  check(pl::range(1000) | pl::filter(even) | pl::batch<64>());
  check(pl::range(100) | pl::map([](std::int64_t x) { return pl::tensor<std::int64_t>({100}, x); }) | pl::batch<8>());
  check(pl::range(100) | pl::batch<8>() | pl::shuffle(4));
}

TEST_CASE("symbols: failures name the same operator and element") {
  const auto p = pl::range(50) | pl::map([](std::int64_t x) {
                   if (x == 7) throw std::runtime_error("seven");
                   return x;
                 }) |
                 pl::batch<4>();
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::symbols>(p, with(threads));
    try {
      drained(s);
      FAIL("nothing was thrown");
    } catch (const pl::failure& e) {
      CHECK(e.operator_number() == 2);
      CHECK(e.at().index == 7);
    }
  }
}

TEST_CASE("symbols: frames of different operators are different functions") {
  // equal code, which compilers and linkers may merge
  using one = pl::pl_operator<1, int>;
  using two = pl::pl_operator<2, int>;
  const std::set<void*> all{reinterpret_cast<void*>(&one::run<int>), reinterpret_cast<void*>(&two::run<int>),
                            reinterpret_cast<void*>(&pl::pl_stage::run<int>),
                            reinterpret_cast<void*>(&pl::pl_producer::run<int>),
                            reinterpret_cast<void*>(&pl::pl_passing::run<int>)};
  CHECK(all.size() == 5);
}

TEST_CASE("symbols: with other tracing nothing is put around anything") {
  namespace d = pl::detail;
  static_assert(std::is_same_v<d::framing<pl::tracing::off>::of<3, int>::kernel<int*>, int*>);
  static_assert(std::is_same_v<d::framing<pl::tracing::counters>::of<3, int>::cursor<int*>, int*>);
  static_assert(std::is_same_v<d::framing<pl::tracing::timeline>::of<3, int>::input<int*>, int*>);
  static_assert(!std::is_same_v<d::framing<pl::tracing::symbols>::of<3, int>::index<int>, int>);
}

TEST_CASE("symbols: the operators are listed where the environment says") {
  const temp_folder folder;
  const auto file = folder / "operators.txt";
  ::setenv("PLUMBLINE_OPERATORS", file.c_str(), 1);
  {
    auto s = pl::run<pl::tracing::symbols>(pl::range(4) | pl::map(noise).named("noise") | pl::filter(even), with(1));
    drained(s);
  }
  ::unsetenv("PLUMBLINE_OPERATORS");
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].ends_with("\trange"));
  CHECK(lines[1].starts_with("2\t"));
  CHECK(lines[1].ends_with("\tnoise"));
  CHECK(lines[3].empty());
}
