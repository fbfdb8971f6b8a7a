// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 7") {
  chain_laws(7, 4, R"(pl::zip(pl::from_range(numbers(q(1, 70))), pl::elements(numbers(q(1, 80)))) | pl::map(both) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::zip(pl::from_range(numbers(q(1, 70))), pl::elements(numbers(q(1, 80)))) | pl::map(both) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 20") {
  chain_laws(20, 4, R"(pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::filter(not_multiple(q(2, 5))) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 33") {
  chain_laws(33, 4, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::flat_map(some_of) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 46") {
  chain_laws(46, 4, R"(pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::filter(not_multiple(q(2, 5))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::filter(not_multiple(q(2, 5))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))); });
}
// clang-format on
