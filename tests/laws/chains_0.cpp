// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 0") {
  chain_laws(0, 4, R"(pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of))", [](parameters q) { return pl::concat(pl::range(q(1, 60)) | pl::filter(not_multiple(q(2, 5))) | pl::batch(q(1, 9)) | pl::map(total), pl::generate(q(1, 90), by_number) | pl::cache()) | pl::flat_map(some_of); });
}
TEST_CASE("chain 13") {
  chain_laws(13, 4, R"(pl::range(q(1, 60)) | pl::repeat(q(0, 3)))", [](parameters q) { return pl::range(q(1, 60)) | pl::repeat(q(0, 3)); });
}
TEST_CASE("chain 26") {
  chain_laws(26, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::enumerate() | pl::map(folded), pl::range(q(1, 60)) | pl::cache() | pl::map(times(q(1, 9)))) | pl::map(both) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::enumerate() | pl::map(folded), pl::range(q(1, 60)) | pl::cache() | pl::map(times(q(1, 9)))) | pl::map(both) | pl::shuffle(q(1, 40), q(0, 99)); });
}
TEST_CASE("chain 39") {
  chain_laws(39, 4, R"(pl::elements(numbers(q(1, 80))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
// clang-format on
