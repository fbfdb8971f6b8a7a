// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 1") {
  chain_laws(1, 4, R"(pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 5") {
  chain_laws(5, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 9") {
  chain_laws(9, 4, R"(pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded))", [](parameters q) { return pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded); });
}
TEST_CASE("chain 13") {
  chain_laws(13, 4, R"(pl::range(q(1, 60)) | pl::repeat(q(0, 3)))", [](parameters q) { return pl::range(q(1, 60)) | pl::repeat(q(0, 3)); });
}
TEST_CASE("chain 17") {
  chain_laws(17, 4, R"(pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 21") {
  chain_laws(21, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total); });
}
TEST_CASE("chain 25") {
  chain_laws(25, 4, R"(pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 29") {
  chain_laws(29, 4, R"(pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 33") {
  chain_laws(33, 4, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 37") {
  chain_laws(37, 4, R"(pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 41") {
  chain_laws(41, 4, R"(pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 45") {
  chain_laws(45, 4, R"(pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 49") {
  chain_laws(49, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
// clang-format on
