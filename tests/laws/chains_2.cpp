// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 2") {
  chain_laws(2, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::batch(q(1, 9)) | pl::map(total) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(times(q(1, 9))))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::batch(q(1, 9)) | pl::map(total) | pl::take(q(0, 100)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(times(q(1, 9))); });
}
TEST_CASE("chain 15") {
  chain_laws(15, 4, R"(pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(noise(q(2, 1000))), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::repeat<2>()) | pl::prefetch(q(1, 20)))", [](parameters q) { return pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(noise(q(2, 1000))), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::repeat<2>()) | pl::prefetch(q(1, 20)); });
}
TEST_CASE("chain 28") {
  chain_laws(28, 4, R"(pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::range(q(0, 150)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 41") {
  chain_laws(41, 4, R"(pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
// clang-format on
