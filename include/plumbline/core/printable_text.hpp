#pragma once
/// printable_text: text from files or names, for a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline::detail {

/// The text with ? for each control character (C0, DEL and C1), which would move the cursor, or more, and for each byte
/// that is not UTF-8.
inline std::string printable_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i != text.size();) {
    const auto at = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
    const auto lead = at(i);
    std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    for (std::size_t k = 1; k < length; ++k)
      if ((at(i + k) & 0xC0U) != 0x80U) length = 0;
    const bool control = lead < 0x20 || lead == 0x7F || (lead == 0xC2 && at(i + 1) < 0xA0);
    if (length == 0 || control)
      out += '?';
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace plumbline::detail
