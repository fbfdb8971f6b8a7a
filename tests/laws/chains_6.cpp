// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 6") {
  chain_laws(6, 4, R"(pl::zip(serial(q(0, 120)), pl::generate(q(1, 90), by_number) | pl::enumerate() | pl::map(folded) | pl::prefetch(q(1, 20))) | pl::map(both) | pl::enumerate() | pl::map(folded))", [](parameters q) { return pl::zip(serial(q(0, 120)), pl::generate(q(1, 90), by_number) | pl::enumerate() | pl::map(folded) | pl::prefetch(q(1, 20))) | pl::map(both) | pl::enumerate() | pl::map(folded); });
}
TEST_CASE("chain 19") {
  chain_laws(19, 4, R"(pl::elements(numbers(q(1, 80))) | pl::cache())", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::cache(); });
}
TEST_CASE("chain 32") {
  chain_laws(32, 4, R"(pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 45") {
  chain_laws(45, 4, R"(pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::take(q(0, 100)) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
// clang-format on
