// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 3") {
  chain_laws(3, 4, R"(pl::range(q(0, 150)) | pl::cache())", [](parameters q) { return pl::range(q(0, 150)) | pl::cache(); });
}
TEST_CASE("chain 16") {
  chain_laws(16, 4, R"(pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::map(times(q(1, 9))) | pl::shuffle(q(0, 99)) | pl::shuffle(q(0, 99)); });
}
TEST_CASE("chain 29") {
  chain_laws(29, 4, R"(pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::shard(q(2, 4), q(0, 1)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::batch(q(1, 9)) | pl::map(total) | pl::map(times(q(1, 9))) | pl::cache() | pl::map(noise(q(2, 1000))); });
}
TEST_CASE("chain 42") {
  chain_laws(42, 4, R"(pl::range(q(0, 150)) | pl::skip(q(0, 20)) | pl::skip(q(0, 20)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::range(q(0, 150)) | pl::skip(q(0, 20)) | pl::skip(q(0, 20)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
// clang-format on
