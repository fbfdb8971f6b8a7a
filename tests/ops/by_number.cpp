// batch and group give random access by index if an operator downstream requests it: an exact shuffle of batches, and
// batches that are skipped and never made.
#include <ops/samples.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <atomic>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(100)); };
const auto total = [](const pl::tensor<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (const auto x : b.span()) sum = 3 * sum + x;
  return sum;
};

const auto first_of = [](const pl::tensor<std::int32_t>& b) { return pl::tensor<std::int32_t>({1}, b.span()[0]); };

/// The number of elements that a whole run requests.
template <class More> std::int64_t asked_for(std::size_t threads, const More& more) {
  std::atomic<std::int64_t> made{0};
  const auto count = [&made](std::int64_t x) { return ++made, std::to_string(x); };
  for (auto& b : pl::run(pl::range(1000) | pl::map(count) | pl::batch(10) | more, with(threads))) static_cast<void>(b);
  return made;
}
}  // namespace

TEST_CASE("by index: batches in a new exact permutation every epoch") {
  op_laws(pl::range(100) | pl::map(square) | pl::batch(7) | pl::shuffle(3));
  op_laws(pl::range(100) | pl::map(to_text) | pl::batch<8>(pl::drop_remainder) | pl::shuffle(3) | pl::repeat(2));
  op_laws(pl::range(90) | pl::shuffle(1) | pl::map(to_tensor) | pl::batch(8, pl::remainder::drop) | pl::shuffle(2));
  op_laws(pl::range(90) | pl::map(jitter) | pl::batch(8) | pl::shuffle(2) | pl::map(total) | pl::batch(3));
  op_laws(pl::range(64) | pl::group(5) | pl::map(pl::collate) | pl::shuffle(4) | pl::enumerate());
  op_laws(pl::range(0) | pl::batch(5) | pl::shuffle(4));
  auto all = shown(pl::range(64) | pl::batch(5) | pl::shuffle(4));
  auto want = shown(pl::range(64) | pl::batch(5));
  CHECK(all != want);
  std::sort(all.begin(), all.end());
  std::sort(want.begin(), want.end());
  CHECK(all == want);
}

TEST_CASE("by index: take, skip, shard and repeat of batches") {
  CHECK(joined(shown(pl::range(8) | pl::batch(3) | pl::skip(1))) == "[[3] 3 4 5, [2] 6 7]");
  op_laws(pl::range(100) | pl::map(to_text) | pl::batch(7) | pl::skip(3) | pl::take(8));
  op_laws(pl::range(100) | pl::batch(7) | pl::shard(3, 1) | pl::repeat(3));
  op_laws(pl::range(100) | pl::enumerate() | pl::batch(7) | pl::enumerate() | pl::skip(2) | pl::take(9));
  op_laws(pl::range(96) | pl::batch(4) | pl::shuffle(1) | pl::batch(3) | pl::shuffle(2));
  op_laws(pl::range(10) | pl::repeat() | pl::batch(7) | pl::skip(3));
  op_laws(pl::zip(pl::range(50) | pl::batch(4), pl::range(50) | pl::map(to_text) | pl::batch(4)) | pl::shuffle(5));
  op_laws(pl::concat(pl::range(50) | pl::batch(4), pl::range(9) | pl::batch(4)) | pl::shuffle(5));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::batch(2) | pl::shuffle(1); }));
  op_laws(pl::range(50) | pl::batch(4) | pl::shuffle(5) | pl::prefetch(2) | pl::repeat(2));
}

// The form of each operator, upstream first.
template <class P> std::vector<pl::form> forms_of(const P&) {
  std::vector<pl::form> out;
  for (const auto& o : pl::partition_of<P>.operators) out.push_back(o.how);
  return out;
}

TEST_CASE("by index: take alone does not request batches by index") {
  using enum pl::form;
  using forms = std::vector<pl::form>;
  const auto batches = pl::range(100) | pl::map(to_tensor) | pl::batch(7);
  CHECK(forms_of(batches | pl::take(5)) == forms{source, element, scatter, serial});
  CHECK(forms_of(batches | pl::map(first_of) | pl::take(5) | pl::take(3)) ==
        forms{source, element, scatter, element, serial, serial});
  CHECK(forms_of(pl::range(100) | pl::group(7) | pl::take(5)) == forms{source, serial, serial});
  CHECK(forms_of(batches | pl::take(5) | pl::batch(2)) == forms{source, element, scatter, serial, scatter});
  // a batch is made of several elements, so a cache behind it keeps a whole epoch in order and requests no indices
  CHECK(forms_of(batches | pl::take(5) | pl::cache()) == forms{source, element, scatter, serial, structure});
  // an operator further downstream requests indices, or the stream is indexed anyway
  CHECK(forms_of(batches | pl::take(5) | pl::shuffle(1)) == forms{source, element, join, renumber, renumber});
  CHECK(forms_of(batches | pl::take(5) | pl::map(first_of) | pl::skip(1)) ==
        forms{source, element, join, renumber, element, renumber});
  CHECK(forms_of(batches | pl::shuffle(1) | pl::take(5)) == forms{source, element, join, renumber, renumber});
  CHECK(forms_of(pl::zip(batches | pl::take(5), pl::range(9))) == forms{source, element, join, renumber, source, join});
  CHECK(forms_of(pl::zip(batches, pl::range(9)) | pl::take(5)) == forms{source, element, join, source, join, renumber});
  CHECK(forms_of(pl::range(100) | pl::map(to_tensor) | pl::take(5) | pl::cache() | pl::batch(2)) ==
        forms{source, element, renumber, index_cache, scatter});

  op_laws(batches | pl::take(5));
  op_laws(batches | pl::map(first_of) | pl::take(5) | pl::take(3));
  op_laws(batches | pl::take(5) | pl::shuffle(1));
  op_laws(batches | pl::take(5) | pl::cache() | pl::repeat(2));
  op_laws(batches | pl::take(5) | pl::cache());
  op_laws(pl::range(100) | pl::map(jitter) | pl::group(7) | pl::take(5) | pl::map(pl::collate));
  op_laws(pl::range(10) | pl::map(to_tensor) | pl::repeat() | pl::batch(7) | pl::take(4) | pl::batch(2));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t n) {
            return pl::range(n) | pl::map(to_tensor) | pl::batch(2) | pl::take(2);
          }));
  // the elements are the same by index
  CHECK(shown(batches | pl::take(5)) == shown(batches | pl::take(5) | pl::skip(0)));
}

TEST_CASE("by index: batches that are skipped are not made") {
  for (const std::size_t threads : {0U, 1U, 2U}) {
    CHECK(asked_for(threads, pl::skip(90)) == 100);
    CHECK(asked_for(threads, pl::shard(10, 3)) == 100);
    CHECK(asked_for(threads, pl::shuffle(1) | pl::take(5)) == 50);
  }
}

TEST_CASE("by index: a failure in a batch names its operator and element") {
  const auto fails = [](std::int64_t x) {
    if (x == 33) throw std::runtime_error("33");
    return std::to_string(x);
  };
  const auto ragged = [](std::int64_t x) { return pl::tensor<float>(pl::shape{x == 33 ? 2U : 1U}, 0); };
  for (const std::size_t threads : {0U, 1U, 2U}) {
    const auto words = [&](const auto& p) {
      try {
        for (auto& b : pl::run(p, with(threads))) static_cast<void>(b);
      } catch (const pl::failure& f) {
        return std::string(f.what());
      }
      return std::string();
    };
    CHECK(words(pl::range(50) | pl::map(fails) | pl::batch(5) | pl::skip(2)) ==
          "plumbline: map (operator 2 of 4) failed at element 33 of range, epoch 0: 33");
    CHECK_THAT(words(pl::range(50) | pl::map(ragged) | pl::batch(5) | pl::shuffle(1)),
               Catch::Matchers::Contains("plumbline: batch (operator 3 of 4) failed at element 33 of range, epoch 0"));
  }
}

TEST_CASE("by index: a trace counts what was made for the requested batches") {
  const auto p = pl::range(100) | pl::map(to_text) | pl::batch(5) | pl::shuffle(1) | pl::take(8);
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::counters>(p, with(threads));
    CHECK(drained(s).size() == 8);
    const auto t = s.traced();
    CHECK(t.counters[0].completions == 40);
    CHECK(t.counters[1].completions == 40);
    CHECK(t.counters[2].completions == 8);
    CHECK(t.parts.size() == 1);
  }
}
