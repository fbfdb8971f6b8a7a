// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 9") {
  chain_laws(9, 4, R"(pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded))", [](parameters q) { return pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths), serial(q(0, 120)) | pl::map(noise(q(2, 1000)))) | pl::enumerate() | pl::map(folded); });
}
TEST_CASE("chain 22") {
  chain_laws(22, 4, R"(pl::concat(pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)), pl::generate(q(1, 90), by_number)) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::flat_map(some_of) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::concat(pl::generate(q(1, 90), by_number) | pl::shuffle(q(1, 40), q(0, 99)), pl::generate(q(1, 90), by_number)) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::flat_map(some_of) | pl::shuffle(q(1, 40), q(0, 99)); });
}
TEST_CASE("chain 35") {
  chain_laws(35, 4, R"(pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)))", [](parameters q) { return pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)); });
}
TEST_CASE("chain 48") {
  chain_laws(48, 4, R"(pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both))", [](parameters q) { return pl::zip(pl::range(q(1, 60)), pl::range(q(1, 60)) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both); });
}
// clang-format on
