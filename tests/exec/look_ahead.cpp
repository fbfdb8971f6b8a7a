// look_ahead: whether a store had all elements that were requested together.
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

bool all_found(std::uint64_t first, std::uint64_t elements) {
  const detail::pack<fake_kernel> kernels{fake_kernel{std::make_shared<const fake_store>(fake_store{first})}};
  detail::look_ahead<fake_kernel> ahead(0);
  for (std::uint64_t i = 0; i != elements; ++i)
    if (ahead.due(i)) ahead.ask(kernels, i, elements, [](std::uint64_t k) { return k; });
  return ahead.all_found();
}

}  // namespace

TEST_CASE("look ahead: all elements were found together") {
  CHECK(all_found(0, 10));
  CHECK(all_found(0, 35));
  CHECK_FALSE(all_found(1, 35));  // it is made, by itself
  CHECK_FALSE(all_found(35, 35));
  CHECK(all_found(0, 1));  // with others it would have waited as long
  CHECK_FALSE(all_found(0, 0));
}
