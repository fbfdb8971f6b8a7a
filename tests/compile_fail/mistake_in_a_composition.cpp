// error: in_composition<3>, (plumbline::)?map_of<
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

constexpr auto half = [](std::int64_t x) { return static_cast<double>(x) / 2; };
constexpr auto text = [](double x) { return std::to_string(x); };
constexpr auto length = [](const std::string& s) { return s.size(); };

#ifdef PLUMBLINE_EXPECT_ERROR
constexpr auto augment = pl::map(half) | pl::take(3) | pl::map(length) | pl::map(text) | pl::batch<32>();
#else
constexpr auto augment = pl::map(half) | pl::take(3) | pl::map(text) | pl::map(length) | pl::batch<32>();
#endif

auto p = pl::range(1000) | pl::shuffle(1) | augment | pl::take(2);

void consume() {
  for (auto& b : pl::run(p)) static_cast<void>(b);
}
