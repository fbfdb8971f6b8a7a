// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 11") {
  chain_laws(11, 4, R"(pl::concat(pl::concat(serial(q(0, 120)) | pl::prefetch(q(1, 20)), pl::from_range(numbers(q(1, 70)))), pl::range(q(0, 150)) | pl::cache()))", [](parameters q) { return pl::concat(pl::concat(serial(q(0, 120)) | pl::prefetch(q(1, 20)), pl::from_range(numbers(q(1, 70)))), pl::range(q(0, 150)) | pl::cache()); });
}
TEST_CASE("chain 24") {
  chain_laws(24, 4, R"(serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::map(times(q(1, 9))) | pl::enumerate() | pl::map(folded) | pl::map(times(q(1, 9))) | pl::flat_map(some_of); });
}
TEST_CASE("chain 37") {
  chain_laws(37, 4, R"(pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(0, 150)) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 50") {
  chain_laws(50, 4, R"(pl::generate(q(1, 90), by_number) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
// clang-format on
