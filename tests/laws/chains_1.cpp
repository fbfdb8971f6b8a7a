// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 1") {
  chain_laws(1, 4, R"(pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(times(q(1, 9))) | pl::flat_map(some_of) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 14") {
  chain_laws(14, 4, R"(pl::zip(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::prefetch(q(1, 20)), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::map(times(q(1, 9)))) | pl::map(both) | pl::flat_map(some_of) | pl::skip(q(0, 20)))", [](parameters q) { return pl::zip(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::prefetch(q(1, 20)), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::map(times(q(1, 9)))) | pl::map(both) | pl::flat_map(some_of) | pl::skip(q(0, 20)); });
}
TEST_CASE("chain 27") {
  chain_laws(27, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 40") {
  chain_laws(40, 4, R"(pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))))", [](parameters q) { return pl::concat(pl::elements(numbers(q(1, 80))) | pl::cache(), pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::take(q(0, 100))); });
}
// clang-format on
