// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 2") {
  chain_laws(2, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::batch(q(1, 9)) | pl::map(total) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::batch(q(1, 9)) | pl::map(total) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 6") {
  chain_laws(6, 4, R"(pl::zip(serial(q(0, 120)), pl::generate(q(1, 90), by_number) | pl::enumerate() | pl::map(folded) | pl::prefetch(q(1, 20))) | pl::map(both) | pl::enumerate() | pl::map(folded))", [](parameters q) { return pl::zip(serial(q(0, 120)), pl::generate(q(1, 90), by_number) | pl::enumerate() | pl::map(folded) | pl::prefetch(q(1, 20))) | pl::map(both) | pl::enumerate() | pl::map(folded); });
}
TEST_CASE("chain 10") {
  chain_laws(10, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::shard(q(2, 4), q(0, 1)) | pl::prefetch(q(1, 20)) | pl::cache() | pl::prefetch(q(1, 20)) | pl::filter(not_multiple(q(2, 5))), pl::from_range(numbers(q(1, 70))) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::shard(q(2, 4), q(0, 1)) | pl::prefetch(q(1, 20)) | pl::cache() | pl::prefetch(q(1, 20)) | pl::filter(not_multiple(q(2, 5))), pl::from_range(numbers(q(1, 70))) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both); });
}
TEST_CASE("chain 14") {
  chain_laws(14, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::prefetch(q(1, 20)), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::map(times(q(1, 9)))) | pl::map(both) | pl::flat_map(some_of) | pl::skip(q(0, 20)))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::prefetch(q(1, 20)), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::map(times(q(1, 9)))) | pl::map(both) | pl::flat_map(some_of) | pl::skip(q(0, 20)); });
}
TEST_CASE("chain 18") {
  chain_laws(18, 4, R"(pl::zip(pl::range(q(0, 150)) | pl::batch(q(1, 9)) | pl::map(total) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))) | pl::map(times(q(1, 9))), pl::range(q(0, 150)) | pl::enumerate() | pl::map(folded)) | pl::map(both))", [](parameters q) { return pl::zip(pl::range(q(0, 150)) | pl::batch(q(1, 9)) | pl::map(total) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))) | pl::map(times(q(1, 9))), pl::range(q(0, 150)) | pl::enumerate() | pl::map(folded)) | pl::map(both); });
}
TEST_CASE("chain 22") {
  chain_laws(22, 4, R"(pl::concat(pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)), pl::generate(q(1, 90), by_number)) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::flat_map(some_of) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::concat(pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)), pl::generate(q(1, 90), by_number)) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::flat_map(some_of) | pl::shuffle(q(1, 40), q(0, 99)); });
}
TEST_CASE("chain 26") {
  chain_laws(26, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::enumerate() | pl::map(folded), pl::range(q(1, 60)) | pl::cache() | pl::map(times(q(1, 9)))) | pl::map(both) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::enumerate() | pl::map(folded), pl::range(q(1, 60)) | pl::cache() | pl::map(times(q(1, 9)))) | pl::map(both) | pl::shuffle(q(1, 40), q(0, 99)); });
}
TEST_CASE("chain 30") {
  chain_laws(30, 4, R"(pl::zip(serial(q(0, 120)), pl::range(q(1, 60)) | pl::cache() | pl::cache()) | pl::map(both) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::zip(serial(q(0, 120)), pl::range(q(1, 60)) | pl::cache() | pl::cache()) | pl::map(both) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 34") {
  chain_laws(34, 4, R"(pl::range(q(0, 150)) | pl::repeat<2>() | pl::shuffle(q(0, 99)))", [](parameters q) { return pl::range(q(0, 150)) | pl::repeat<2>() | pl::shuffle(q(0, 99)); });
}
TEST_CASE("chain 38") {
  chain_laws(38, 4, R"(serial(q(0, 120)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::cache())", [](parameters q) { return serial(q(0, 120)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::cache(); });
}
TEST_CASE("chain 42") {
  chain_laws(42, 4, R"(pl::range(q(0, 150)) | pl::skip(q(0, 20)) | pl::skip(q(0, 20)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::range(q(0, 150)) | pl::skip(q(0, 20)) | pl::skip(q(0, 20)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
TEST_CASE("chain 46") {
  chain_laws(46, 4, R"(pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::filter(not_multiple(q(2, 5))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::filter(not_multiple(q(2, 5))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 50") {
  chain_laws(50, 4, R"(pl::generate(q(1, 90), by_number) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
// clang-format on
