// error: plumbline: \| copies what has a name, and a function or source in it cannot be copied
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

auto added(std::unique_ptr<std::int64_t> x) {
  return pl::map([x = std::move(x)](std::int64_t y) { return *x + y; }) | pl::batch<2>();
}

void consume() {
  auto augment = added(std::make_unique<std::int64_t>(1));
#ifdef PLUMBLINE_EXPECT_ERROR
  auto p = pl::range(3) | augment | pl::take(2);
#else
  auto p = pl::range(3) | std::move(augment) | pl::take(2);
#endif
  auto s = pl::run(std::move(p));
}
