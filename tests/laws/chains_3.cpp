// Written by tests/support/generate_chains.py 1: do not edit.
#include <support/chains.hpp>

using namespace plumbline_test;

// clang-format off
TEST_CASE("chain 3") {
  chain_laws(3, 4, R"(pl::range(q(0, 150)) | pl::cache())", [](parameters q) { return pl::range(q(0, 150)) | pl::cache(); });
}
TEST_CASE("chain 7") {
  chain_laws(7, 4, R"(pl::zip(pl::from_range(numbers(q(1, 70))), pl::elements(numbers(q(1, 80)))) | pl::map(both) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::zip(pl::from_range(numbers(q(1, 70))), pl::elements(numbers(q(1, 80)))) | pl::map(both) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 11") {
  chain_laws(11, 4, R"(pl::concat(pl::concat(serial(q(0, 120)) | pl::prefetch(q(1, 20)), pl::from_range(numbers(q(1, 70)))), pl::range(q(0, 150)) | pl::cache()))", [](parameters q) { return pl::concat(pl::concat(serial(q(0, 120)) | pl::prefetch(q(1, 20)), pl::from_range(numbers(q(1, 70)))), pl::range(q(0, 150)) | pl::cache()); });
}
TEST_CASE("chain 15") {
  chain_laws(15, 4, R"(pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(noise(q(2, 1000))), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::repeat<2>()) | pl::prefetch(q(1, 20)))", [](parameters q) { return pl::concat(serial(q(0, 120)) | pl::repeat<2>() | pl::map(noise(q(2, 1000))), pl::elements(numbers(q(1, 80))) | pl::shuffle(q(0, 99)) | pl::repeat<2>()) | pl::prefetch(q(1, 20)); });
}
TEST_CASE("chain 19") {
  chain_laws(19, 4, R"(pl::elements(numbers(q(1, 80))) | pl::cache())", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::cache(); });
}
TEST_CASE("chain 23") {
  chain_laws(23, 4, R"(pl::generate(q(1, 90), by_number) | pl::batch(q(1, 9)) | pl::map(total) | pl::batch(q(1, 9)) | pl::map(total))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::batch(q(1, 9)) | pl::map(total) | pl::batch(q(1, 9)) | pl::map(total); });
}
TEST_CASE("chain 27") {
  chain_laws(27, 4, R"(pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths))", [](parameters q) { return pl::from_range(numbers(q(1, 70))) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::map(noise(q(2, 1000))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::skip(q(0, 20)) | pl::repeat(q(0, 3)) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); });
}
TEST_CASE("chain 31") {
  chain_laws(31, 4, R"(pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::take(q(0, 100)))", [](parameters q) { return pl::generate(q(1, 90), by_number) | pl::prefetch(q(1, 20)) | pl::take(q(0, 100)); });
}
TEST_CASE("chain 35") {
  chain_laws(35, 4, R"(pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)))", [](parameters q) { return pl::range(q(1, 60)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}) | pl::repeat<2>() | pl::take(q(0, 100)); });
}
TEST_CASE("chain 39") {
  chain_laws(39, 4, R"(pl::elements(numbers(q(1, 80))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)))", [](parameters q) { return pl::elements(numbers(q(1, 80))) | pl::shuffle(q(1, 40), q(0, 99)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::take(q(0, 100)); });
}
TEST_CASE("chain 43") {
  chain_laws(43, 4, R"(serial(q(0, 120)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::cache() | pl::enumerate() | pl::map(folded) | pl::filter(not_multiple(q(2, 5))))", [](parameters q) { return serial(q(0, 120)) | pl::flat_map(some_of) | pl::filter(not_multiple(q(2, 5))) | pl::cache() | pl::enumerate() | pl::map(folded) | pl::filter(not_multiple(q(2, 5))); });
}
TEST_CASE("chain 47") {
  chain_laws(47, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(0, 99)) | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))}); });
}
TEST_CASE("chain 51") {
  chain_laws(51, 4, R"(pl::range(q(1, 60)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(noise(q(2, 1000))) | pl::map(times(q(1, 9))) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::shuffle(q(1, 40), q(0, 99)))", [](parameters q) { return pl::range(q(1, 60)) | pl::shuffle(q(1, 40), q(0, 99)) | pl::map(noise(q(2, 1000))) | pl::map(times(q(1, 9))) | pl::map(times(q(1, 9))) | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths) | pl::shuffle(q(1, 40), q(0, 99)); });
}
// clang-format on
