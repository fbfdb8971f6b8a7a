// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 5") {
  chain_laws(5, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 18") {
  chain_laws(18, 4, R"(pl::zip(pl::range(q(0, 150)) | pl::batch(q(1, 9)) | pl::map(total) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))) | pl::map(times(q(1, 9))), pl::range(q(0, 150)) | pl::enumerate() | pl::map(folded)) | pl::map(both))", [](parameters q) { return pl::zip(pl::range(q(0, 150)) | pl::batch(q(1, 9)) | pl::map(total) | pl::filter(not_multiple(q(2, 5))) | pl::filter(not_multiple(q(2, 5))) | pl::map(times(q(1, 9))), pl::range(q(0, 150)) | pl::enumerate() | pl::map(folded)) | pl::map(both); });
}
TEST_CASE("chain 31") {
  chain_laws(31, 4, R"(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::take(q(0, 100)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::take(q(0, 100)); });
}
TEST_CASE("chain 44") {
  chain_laws(44, 4, R"(pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::cache() | pl::take(q(0, 100)); });
}
// clang-format on
