// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 0") {
  chain_laws(0, 3, R"(pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of))", [](parameters q) { return pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of); });
}
TEST_CASE("chain 4") {
  chain_laws(4, 3, R"(serial(q(0, 120)) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::flat_map(some_of); });
}
TEST_CASE("chain 8") {
  chain_laws(8, 3, R"(serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 12") {
  chain_laws(12, 3, R"(pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache())", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache(); });
}
TEST_CASE("chain 16") {
  chain_laws(16, 3, R"(pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)); });
}
TEST_CASE("chain 20") {
  chain_laws(20, 3, R"(pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 24") {
  chain_laws(24, 3, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of); });
}
TEST_CASE("chain 28") {
  chain_laws(28, 3, R"(pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 32") {
  chain_laws(32, 3, R"(pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 36") {
  chain_laws(36, 3, R"(pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 40") {
  chain_laws(40, 3, R"(pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))))", [](parameters q) { return pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))); });
}
TEST_CASE("chain 44") {
  chain_laws(44, 3, R"(pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)); });
}
TEST_CASE("chain 48") {
  chain_laws(48, 3, R"(pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both))", [](parameters q) { return pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both); });
}
TEST_CASE("chain 52") {
  chain_laws(52, 3, R"(pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))); });
}
TEST_CASE("chain 56") {
  chain_laws(56, 3, R"(pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::map(noise(q(2, 1000))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::map(noise(q(2, 1000))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 60") {
  chain_laws(60, 3, R"(pl::from_range(numbers(q(1, 70))) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 64") {
  chain_laws(64, 3, R"(pl::range(q(0, 150)) | pl::shuffle(q(0, 99)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(noise(q(2, 1000))) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::range(q(0, 150)) | pl::shuffle(q(0, 99)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(noise(q(2, 1000))) | pl::shuffle(q(1, 40), q(0, 99)); });
}
TEST_CASE("chain 68") {
  chain_laws(68, 3, R"(pl::range(q(1, 60)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::flat_map(some_of) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::flat_map(some_of) | pl::shard(q(2, 4), q(0, 1)); });
}
// clang-format on
