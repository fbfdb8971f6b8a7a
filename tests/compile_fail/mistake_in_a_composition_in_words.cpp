// error: plumbline: map\(f\) cannot call f with this stream's element, see Wanted and Given in this message
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

constexpr auto half = [](std::int64_t x) { return static_cast<double>(x) / 2; };
constexpr auto text = [](double x) { return std::to_string(x); };
constexpr auto length = [](const std::string& s) { return s.size(); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | (pl::map(half) | (pl::map(length) | pl::batch<32>()));
#else
auto p = pl::range(3) | (pl::map(half) | (pl::map(text) | pl::map(length) | pl::batch<32>()));
#endif
