// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 12") {
  chain_laws(12, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache())", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::shard(q(2, 4), q(0, 1)) | pl::cache(); });
}
TEST_CASE("chain 25") {
  chain_laws(25, 4, R"(pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::range(q(1, 60)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 38") {
  chain_laws(38, 4, R"(serial(q(0, 120)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::cache())", [](parameters q) { return serial(q(0, 120)) | pl::batch<4>(pl::drop_remainder) | pl::map(total) | pl::cache(); });
}
TEST_CASE("chain 51") {
  chain_laws(51, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(noise(q(2, 1000))) | pl::map(times(q(1, 9))) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(noise(q(2, 1000))) | pl::map(times(q(1, 9))) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::shuffle(q(1, 40), q(0, 99)); });
}
// clang-format on
