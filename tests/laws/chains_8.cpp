// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 8") {
  chain_laws(8, 4, R"(serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return serial(q(0, 120)) | pl::take(q(0, 100)) | pl::shard(q(2, 4), q(0, 1)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 21") {
  chain_laws(21, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::shard(q(2, 4), q(0, 1)) | pl::batch<4>(pl::drop_remainder) | pl::map(total); });
}
TEST_CASE("chain 34") {
  chain_laws(34, 4, R"(pl::range(q(0, 150)) | pl::repeat<2>() | pl::shuffle(q(0, 99)))", [](parameters q) { return pl::range(q(0, 150)) | pl::repeat<2>() | pl::shuffle(q(0, 99)); });
}
TEST_CASE("chain 47") {
  chain_laws(47, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
// clang-format on
