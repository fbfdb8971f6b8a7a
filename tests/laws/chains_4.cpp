// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 4") {
  chain_laws(4, 4, R"(serial(q(0, 120)) | pl::flat_map(some_of))", [](parameters q) { return serial(q(0, 120)) | pl::flat_map(some_of); });
}
TEST_CASE("chain 17") {
  chain_laws(17, 4, R"(pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)))", [](parameters q) { return pl::zip(serial(q(0, 120)) | pl::shuffle(q(1, 40), q(0, 99)), serial(q(0, 120))) | pl::map(both) | pl::enumerate() | pl::map(folded) | pl::shard(q(2, 4), q(0, 1)) | pl::shard(q(2, 4), q(0, 1)); });
}
TEST_CASE("chain 30") {
  chain_laws(30, 4, R"(pl::zip(serial(q(0, 120)), pl::range(q(1, 60)) | pl::cache() | pl::cache()) | pl::map(both) | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::zip(serial(q(0, 120)), pl::range(q(1, 60)) | pl::cache() | pl::cache()) | pl::map(both) | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 43") {
  chain_laws(43, 4, R"(serial(q(0, 120)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::cache() | pl::enumerate() | pl::map(folded) | pl::filter(not_multiple(q(2, 5))))", [](parameters q) { return serial(q(0, 120)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::cache() | pl::enumerate() | pl::map(folded) | pl::filter(not_multiple(q(2, 5))); });
}
// clang-format on
