#pragma once
/// Definitions of data/print.hpp.

#include <plumbline/data/print.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>

namespace plumbline::detail {

template <class T> std::string shortest_text(T x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), x).ptr};
}
PLUMBLINE_INLINE std::string element_text(double x) { return shortest_text(x); }
PLUMBLINE_INLINE std::string element_text(float x) { return shortest_text(x); }
PLUMBLINE_INLINE std::string element_text(long long x) { return shortest_text(x); }
PLUMBLINE_INLINE std::string element_text(unsigned long long x) { return shortest_text(x); }
PLUMBLINE_INLINE std::string element_text(const std::string& x) { return '"' + x + '"'; }

PLUMBLINE_INLINE std::string array_text(const shape& s, const void* data,
                                        std::string (*one)(const void* data, std::size_t i)) {
  const bool shortened = s.count() > 1000;
  const auto strides = s.row_major_strides();
  // the indices along one dimension: f(index), or left_out() for those that are not shown
  const auto along = [&](std::size_t extent, auto&& f, auto&& left_out) {
    const bool cut = shortened && extent > 6;
    for (std::size_t i = 0; i != extent; ++i) {
      if (cut && i == 3) left_out();
      if (!cut || i < 3 || i + 3 >= extent) f(i);
    }
  };
  std::size_t width = 0;
  const auto widest = [&](auto&& self, std::size_t dimension, std::size_t from) -> void {
    if (dimension == s.rank()) {
      width = std::max(width, one(data, from).size());
      return;
    }
    along(
        s[dimension], [&](std::size_t i) { self(self, dimension + 1, from + i * strides[dimension]); }, [] {});
  };
  widest(widest, 0, 0);
  std::string text;
  const auto print = [&](auto&& self, std::size_t dimension, std::size_t from) -> void {
    if (dimension == s.rank()) {
      const auto x = one(data, from);
      text.append(width - x.size(), ' ').append(x);
      return;
    }
    const bool innermost = dimension + 1 == s.rank();
    // rows of an array go on lines of their own, with an empty line between arrays of rows, as in numpy
    const auto separator =
        innermost ? " " : std::string(s.rank() - dimension - 1, '\n') + std::string(dimension + 1, ' ');
    bool first = true;
    const auto separate = [&] {
      if (!std::exchange(first, false)) text += separator;
    };
    text += '[';
    along(
        s[dimension],
        [&](std::size_t i) {
          separate();
          self(self, dimension + 1, from + i * strides[dimension]);
        },
        [&] {
          separate();
          text += "...";
        });
    text += ']';
  };
  print(print, 0, 0);
  return text;
}

PLUMBLINE_INLINE std::ostream& write(std::ostream& out, const std::string& text) { return out << text; }

}  // namespace plumbline::detail
