// look_ahead: how many elements a message should have, by what a store found in one round trip.
#include <plumbline/exec/look_ahead.hpp>

#include <catch2/catch.hpp>

#include <memory>

namespace {

namespace detail = plumbline::detail;

/// Has the elements from `first` on.
struct fake_store {
  std::uint64_t first = 0;
  std::size_t at_once() const { return 10; }
  void ask_ahead(std::span<const std::uint64_t>) const {}
  bool lacks(std::uint64_t i) const { return i < first; }
};
struct fake_kernel {
  static constexpr bool asks_ahead = true, says_what_it_has = true;
  std::shared_ptr<const fake_store> store;
};

std::size_t together(std::uint64_t first, std::uint64_t elements) {
  const detail::pack<fake_kernel> kernels{fake_kernel{std::make_shared<const fake_store>(fake_store{first})}};
  detail::look_ahead<fake_kernel> ahead(0);
  ahead.ask(kernels, 0, elements, [](std::uint64_t k) { return k; });
  return ahead.together();
}

}  // namespace

TEST_CASE("look ahead: messages have as many elements as a round trip finds") {
  CHECK(together(0, 10) == 10);
  CHECK(together(0, 6) == 10);
  CHECK(together(0, 25) == 10);
  CHECK(together(2, 10) == 10);
  CHECK(together(3, 10) == 0);  // those that are missing are read one by one
  CHECK(together(10, 10) == 0);
  CHECK(together(0, 1) == 2);  // then it is known whether they are there
}
