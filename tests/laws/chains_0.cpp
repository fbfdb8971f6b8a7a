// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 0") {
  chain_laws(0, 4, R"(pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of))", [](parameters q) { return pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of); });
}
TEST_CASE("chain 4") {
  chain_laws(4, 4, R"(serial(q(0, 120)) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::flat_map(some_of); });
}
TEST_CASE("chain 8") {
  chain_laws(8, 4, R"(serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 12") {
  chain_laws(12, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache())", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache(); });
}
TEST_CASE("chain 16") {
  chain_laws(16, 4, R"(pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)); });
}
TEST_CASE("chain 20") {
  chain_laws(20, 4, R"(pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 24") {
  chain_laws(24, 4, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of); });
}
TEST_CASE("chain 28") {
  chain_laws(28, 4, R"(pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 32") {
  chain_laws(32, 4, R"(pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 36") {
  chain_laws(36, 4, R"(pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 40") {
  chain_laws(40, 4, R"(pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))))", [](parameters q) { return pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))); });
}
TEST_CASE("chain 44") {
  chain_laws(44, 4, R"(pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)); });
}
TEST_CASE("chain 48") {
  chain_laws(48, 4, R"(pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both))", [](parameters q) { return pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both); });
}
// clang-format on
