#pragma once
/// excerpt: the beginning of a text that the user gave, for a message.

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline::detail {

/// At most `most` bytes of UTF-8 text, without a part of a character at the end, and "..." if more would follow. (Text
/// that is not UTF-8 loses at most three bytes more.)
inline std::string excerpt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto within = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  auto end = most;
  while (end != 0 && most - end < 3 && within(end)) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace plumbline::detail
