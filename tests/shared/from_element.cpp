// An epoch from any of its elements on, as a preparer continues it.
#include "jobs.hpp"

using namespace plumbline_test;

namespace {

template <class T> std::vector<std::uint64_t> hashes(auto&& s) {
  std::vector<std::uint64_t> all;
  for (const auto& x : s) all.push_back(pl::detail::hash_of(T(x)));
  return all;
}
template <class P> void check_from_all(const P& p) {
  static_assert(pl::detail::begins_anywhere<P>);
  using element = typename P::element;
  for (const std::size_t threads : {0U, 2U}) {
    const pl::run_options how{.threads = threads, .seed = 5, .first_epoch = 3};
    const auto whole = hashes<element>(pl::run(p, how));
    for (std::size_t n = 0; n != whole.size() + 2; ++n)
      CHECK(hashes<element>(pl::run(pl::detail::from_element(p, n), how)) ==
            std::vector<std::uint64_t>(whole.begin() + static_cast<long>(std::min(n, whole.size())), whole.end()));
  }
}
const auto drawn = [](std::int64_t i, pl::rng& r) {
  return pl::tensor<double>({300}, static_cast<double>(i) + r.uniform());
};
const auto shifted = [](pl::tensor<double> t, pl::rng& r) {
  *t.data() += r.uniform();
  return t;
};

}  // namespace

TEST_CASE("from_element: the rest of an epoch, bit by bit") {
  check_from_all(pl::range(23) | pl::shuffle(1));
  check_from_all(pl::range(23) | pl::shuffle(1) | pl::map(drawn) | pl::batch<4>());
  check_from_all(pl::range(23) | pl::shuffle(1) | pl::map(drawn) | pl::batch(4, pl::drop_remainder));
  check_from_all(pl::range(23) | pl::shuffle(1) | pl::map(drawn) | pl::batch<4>() | pl::map(shifted) | pl::prefetch(3));
  check_from_all(pl::range(23) | pl::repeat(2) | pl::group<3>() | pl::group(2));
  temp_folder folder;
  for (int i = 0; i != 11; ++i) folder.write(std::to_string(i) + ".txt", std::string(static_cast<std::size_t>(i), 'x'));
  check_from_all(pl::files(folder / "*.txt") | pl::shuffle(4) | pl::read_file() |
                 pl::map([](const pl::file_contents& f) { return static_cast<std::int64_t>(f.data.size()); }) |
                 pl::batch<3>());
}

TEST_CASE("from_element: not where positions or earlier elements count") {
  constexpr auto even = [](std::int64_t i) { return i % 2 == 0; };
  const auto filtered = pl::range(9) | pl::filter(even) | pl::batch<2>();
  const auto buffered = pl::range(9) | pl::shuffle(3, 4) | pl::batch<2>();
  CHECK(!pl::detail::begins_anywhere<std::remove_cv_t<decltype(filtered)>>);
  CHECK(!pl::detail::begins_anywhere<std::remove_cv_t<decltype(buffered)>>);
  const auto numbered = pl::range(9) | pl::map(drawn) | pl::batch<2>() | pl::group<2>() | pl::enumerate();
  using p = std::remove_cv_t<decltype(numbered)>;
  CHECK(pl::detail::begins_anywhere<p> == p::type_facts.indexed);
}

TEST_CASE("from_element: a source that is stopped at an epoch's end has no more batches") {
  const auto p = pl::range(40) | pl::batch<4>();
  const auto arena =
      pl::detail::shared_arena::open(std::make_shared<pl::detail::shared_segment>(pl::detail::shared_capacity()));
  pl::detail::pipeline_source source(p, {.threads = 2}, *arena, [] {});
  source.begin(0, 3);  // where another job has ended
  source.stop();
  source.begin(1, 0);  // of the whole pipeline; that of the rest is gone
  bool pending = false;
  CHECK(!source.make(pending));
  CHECK(!pending);
}
