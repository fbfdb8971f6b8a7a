// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 10") {
  chain_laws(10, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::shard(q(2, 4), q(0, 1)) | pl::prefetch(q(1, 20)) | pl::cache() | pl::prefetch(q(1, 20)) | pl::filter(not_multiple(q(2, 5))), pl::from_range(numbers(q(1, 70))) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::shard(q(2, 4), q(0, 1)) | pl::prefetch(q(1, 20)) | pl::cache() | pl::prefetch(q(1, 20)) | pl::filter(not_multiple(q(2, 5))), pl::from_range(numbers(q(1, 70))) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1))) | pl::map(both); });
}
TEST_CASE("chain 23") {
  chain_laws(23, 4, R"(pl::generate(q(1, 90), by_number) | pl::batch(q(1, 9)) | pl::map(total) | pl::batch(q(1, 9)) | pl::map(total))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::batch(q(1, 9)) | pl::map(total) | pl::batch(q(1, 9)) | pl::map(total); });
}
TEST_CASE("chain 36") {
  chain_laws(36, 4, R"(pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::concat(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::cache(), serial(q(0, 120))) | pl::filter(not_multiple(q(2, 5))) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 49") {
  chain_laws(49, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
// clang-format on
