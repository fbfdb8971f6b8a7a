// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 1") {
  chain_laws(1, 3, R"(pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 5") {
  chain_laws(5, 3, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 9") {
  chain_laws(9, 3, R"(pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded))", [](parameters q) { return pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded); });
}
TEST_CASE("chain 13") {
  chain_laws(13, 3, R"(pl::range(q(1, 60)) | pl::repeat(q(0, 3)))", [](parameters q) { return pl::range(q(1, 60)) | pl::repeat(q(0, 3)); });
}
TEST_CASE("chain 17") {
  chain_laws(17, 3, R"(pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 21") {
  chain_laws(21, 3, R"(pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total); });
}
TEST_CASE("chain 25") {
  chain_laws(25, 3, R"(pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 29") {
  chain_laws(29, 3, R"(pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 33") {
  chain_laws(33, 3, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 37") {
  chain_laws(37, 3, R"(pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 41") {
  chain_laws(41, 3, R"(pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 45") {
  chain_laws(45, 3, R"(pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 49") {
  chain_laws(49, 3, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 53") {
  chain_laws(53, 3, R"(pl::zip(pl::elements(numbers(q(1, 80))), pl::range(q(0, 150)) | pl::repeat<2>()) | pl::map(both) | pl::prefetch(q(1, 20)) | pl::batch(q(1, 9)) | pl::map(total) | pl::cache() | pl::repeat<2>())", [](parameters q) { return pl::zip(pl::elements(numbers(q(1, 80))), pl::range(q(0, 150)) | pl::repeat<2>()) | pl::map(both) | pl::prefetch(q(1, 20)) | pl::batch(q(1, 9)) | pl::map(total) | pl::cache() | pl::repeat<2>(); });
}
TEST_CASE("chain 57") {
  chain_laws(57, 3, R"(pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::enumerate() | pl::map(folded) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)) | pl::filter(not_multiple(q(2, 5))))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::enumerate() | pl::map(folded) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)) | pl::filter(not_multiple(q(2, 5))); });
}
TEST_CASE("chain 61") {
  chain_laws(61, 3, R"(pl::from_range(numbers(q(1, 70))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 65") {
  chain_laws(65, 3, R"(serial(q(0, 120)) | pl::cache() | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::cache() | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return serial(q(0, 120)) | pl::cache() | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::cache() | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 69") {
  chain_laws(69, 3, R"(serial(q(0, 120)) | pl::enumerate() | pl::map(folded))", [](parameters q) { return serial(q(0, 120)) | pl::enumerate() | pl::map(folded); });
}
// clang-format on
