#pragma once
/// share: a part of a stream's elements, chosen by their source element's index: those from 0 to 0.3, for example. Two
/// shares that do not overlap have no element in common, in any epoch and whatever operators are between them.
///
/// Element i is at the fractional part of i times the golden ratio. These points divide [0, 1) more evenly than a hash
/// would: of n consecutive elements share(x) holds n x, but for an error that grows as log n (Kuipers, Niederreiter,
/// Uniform Distribution of Sequences, chapter 2, section 3), so that memory and rates are those that were planned.

#include <plumbline/core/exact_number.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace plumbline {

struct share {
  double from = 0, to = 1;

  /// All elements.
  constexpr share() = default;
  /// The first `size` of the elements; share(0.4) is share(0, 0.4). Throws std::invalid_argument unless 0 <= from <= to
  /// <= 1.
  constexpr explicit share(double size) : share(0, size) {}
  constexpr share(double begin, double end) : from(begin), to(end) {
    if (!(0 <= from && from <= to && to <= 1))
      throw std::invalid_argument("plumbline: share(from, to): from is " + detail::exact_number(from) + ", to is " +
                                  detail::exact_number(to) + "; give 0 <= from <= to <= 1, in parts of the whole");
  }
  constexpr double size() const { return to - from; }
  constexpr bool holds(std::uint64_t index) const {
    const double at = static_cast<double>(index * 0x9e3779b97f4a7c15 >> 11) * 0x1p-53;
    return from <= at && at < to;
  }
  friend constexpr bool operator==(const share&, const share&) = default;
};

/// "30 %", or "30 % to 50 %".
inline std::string to_string(const share& of) {
  const auto percent = [](double x) {
    std::array<char, 32> text{};
    return std::string(
               text.data(),
               std::to_chars(text.data(), text.data() + text.size(), 100 * x, std::chars_format::general, 3).ptr) +
           " %";
  };
  return of.from == 0 ? percent(of.to) : percent(of.from) + " to " + percent(of.to);
}

}  // namespace plumbline
