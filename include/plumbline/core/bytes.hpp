#pragma once
/// bytes: an amount of memory or storage, so that a limit cannot be mistaken for a count of elements: bytes(4_GiB),
/// with the literals of plumbline::literals.

#include <plumbline/core/exact_number.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

struct bytes {
  std::uint64_t count = 0;
  constexpr explicit bytes(std::integral auto n) : count(static_cast<std::uint64_t>(n)) {
    if (std::cmp_less(n, 0))
      throw std::invalid_argument("plumbline: bytes(n): n is " + detail::exact_number(n) + "; give 0 or more");
  }
  /// Rounded down, as in bytes(1.5e9).
  constexpr explicit bytes(std::floating_point auto n) {
    if (!(n >= 0 && n < 0x1p64))
      throw std::invalid_argument("plumbline: bytes(n): n is " + detail::exact_number(n) +
                                  "; give 0 or more, below 2^64");
    count = static_cast<std::uint64_t>(n);
  }
  friend constexpr auto operator<=>(const bytes&, const bytes&) = default;
};

namespace detail {
consteval std::uint64_t shifted(unsigned long long n, unsigned power) {
  if (n > (std::numeric_limits<std::uint64_t>::max() >> power)) throw "plumbline: the size does not fit in 64 bits";
  return std::uint64_t{n} << power;
}
}  // namespace detail
inline namespace literals {
consteval std::uint64_t operator""_KiB(unsigned long long n) { return detail::shifted(n, 10); }
consteval std::uint64_t operator""_MiB(unsigned long long n) { return detail::shifted(n, 20); }
consteval std::uint64_t operator""_GiB(unsigned long long n) { return detail::shifted(n, 30); }
consteval std::uint64_t operator""_TiB(unsigned long long n) { return detail::shifted(n, 40); }
}  // namespace literals

/// "4 GiB", "1.5 MiB", "100 bytes"; rounded down to a tenth.
inline std::string to_string(bytes size) {
  const char* const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB"};
  unsigned u = 0;
  while (u != 4 && size.count >> (10 * (u + 1)) != 0) ++u;
  if (u == 0) return std::to_string(size.count) + units[0];
  const auto tenth = (size.count >> (10 * (u - 1))) % 1024 * 10 / 1024;
  return std::to_string(size.count >> (10 * u)) + (tenth == 0 ? "" : "." + std::to_string(tenth)) + units[u];
}

}  // namespace plumbline
