#pragma once
/// Path patterns, as text: no file is touched here.
///
///   *              any run of characters within one name
///   ?              one character (UTF-8)
///   [a-z] [!0-9]   one of a set, or none of it
///   **             any number of folders, including none
///   {jpg,png}      alternatives, may nest and may hold '/'
///   \x             x itself
///
/// A name that begins with '.' is matched only by a pattern that begins with '.', as in a shell. Braces without a
/// comma, and brackets that do not close, match themselves. Case matters; on request A-Z equal a-z (ASCII only).

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {
namespace detail {

/// The first UTF-8 character of `s`, which it drops; a byte that begins no valid character counts as one.
inline char32_t next_character(std::string_view& s) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  std::uint32_t c = length == 1 ? lead : lead & (0x7fU >> length);
  bool whole = length <= s.size();
  for (std::size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xc0U) == 0x80U;
    c = c << 6U | (byte(i) & 0x3fU);
  }
  s.remove_prefix(whole ? length : 1);
  if (length > 1 && whole) return c;
  return lead < 0x80 ? lead : 0x110000U + lead;  // a stray byte equals no character
}

constexpr char32_t fold_ascii(char32_t c, bool fold) { return fold && c >= U'A' && c <= U'Z' ? c + 32 : c; }

/// The end of the set that opens at `p[0]`, or npos: "[]x]" and "[!]x]" hold a ']'.
inline std::size_t set_end(std::string_view p) {
  std::size_t i = 1;
  if (i < p.size() && (p[i] == '!' || p[i] == '^')) ++i;
  if (i < p.size() && p[i] == ']') ++i;
  while (i < p.size() && p[i] != ']') i += p[i] == '\\' ? 2 : 1;
  return i < p.size() ? i : std::string_view::npos;
}

inline bool in_set(std::string_view set, char32_t c, bool fold) {  // `set` without its brackets
  const bool none_of = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (none_of) set.remove_prefix(1);
  const auto member = [&] {
    if (set[0] == '\\' && set.size() > 1) set.remove_prefix(1);
    return next_character(set);
  };
  bool found = false;
  while (!set.empty()) {
    const char32_t low = member();
    char32_t high = low;
    if (set.size() >= 2 && set[0] == '-') {
      set.remove_prefix(1);
      high = member();
    }
    found = found || (low <= c && c <= high);
    if (fold && c >= U'a' && c <= U'z') found = found || (low <= c - 32 && c - 32 <= high);
    if (fold && c >= U'A' && c <= U'Z') found = found || (low <= c + 32 && c + 32 <= high);
  }
  return found != none_of;
}

}  // namespace detail

/// Whether one name, without '/', matches a pattern without '/' or braces. O(name x pattern) at worst: a later '*'
/// never needs an earlier one to be tried again.
inline bool matches_name(std::string_view pattern, std::string_view name, bool ignore_case = false) {
  std::string_view after_star, retry;  // where to continue when what follows the last '*' did not fit
  bool starred = false;
  while (!name.empty()) {
    bool fits = false;
    std::string_view rest = pattern;
    std::string_view tail = name;
    if (!pattern.empty() && pattern[0] == '*') {
      while (!pattern.empty() && pattern[0] == '*') pattern.remove_prefix(1);
      after_star = pattern;
      retry = name;
      starred = true;
      continue;
    }
    if (!pattern.empty()) {
      const char32_t c = detail::next_character(tail);
      const std::size_t end = pattern[0] == '[' ? detail::set_end(pattern) : std::string_view::npos;
      if (pattern[0] == '?') {
        fits = true;
        rest.remove_prefix(1);
      } else if (end != std::string_view::npos) {
        fits = detail::in_set(pattern.substr(1, end - 1), c, ignore_case);
        rest.remove_prefix(end + 1);
      } else {
        if (rest[0] == '\\' && rest.size() > 1) rest.remove_prefix(1);
        fits = detail::fold_ascii(detail::next_character(rest), ignore_case) == detail::fold_ascii(c, ignore_case);
      }
    }
    if (fits) {
      pattern = rest;
      name = tail;
    } else if (starred) {
      (void)detail::next_character(retry);
      name = retry;
      pattern = after_star;
    } else {
      return false;
    }
  }
  while (!pattern.empty() && pattern[0] == '*') pattern.remove_prefix(1);
  return pattern.empty();
}

/// Whether a pattern holds a special character: otherwise it is a path.
inline bool is_glob(std::string_view pattern) { return pattern.find_first_of("*?[{\\") != std::string_view::npos; }

/// Where the first brace opens that is never closed; npos: none.
inline std::size_t unclosed_brace(std::string_view pattern) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < pattern.size(); i += pattern[i] == '\\' ? 2 : 1)
    if (pattern[i] == '{')
      open.push_back(i);
    else if (pattern[i] == '}' && !open.empty())
      open.pop_back();
  return open.empty() ? std::string_view::npos : open.front();
}

/// "a{b,c{d,e}}" -> "ab", "acd", "ace". Throws std::invalid_argument above 65536 alternatives.
inline std::vector<std::string> expand_braces(std::string_view pattern) {
  std::vector<std::string> done, open{std::string(pattern)};
  while (!open.empty()) {
    const std::string p = std::move(open.back());
    open.pop_back();
    // The first group with a comma at its own level.
    std::size_t begin = std::string::npos, end = std::string::npos;
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i < p.size() && end == std::string::npos; i += p[i] == '\\' ? 2 : 1) {
      if (p[i] != '{') continue;
      int depth = 0;
      cuts.clear();
      for (std::size_t j = i; j < p.size(); j += p[j] == '\\' ? 2 : 1) {
        if (p[j] == '{') ++depth;
        if (p[j] == ',' && depth == 1) cuts.push_back(j);
        if (p[j] == '}' && --depth == 0) {
          if (!cuts.empty()) begin = i, end = j;
          break;
        }
      }
    }
    if (end == std::string::npos) {
      done.push_back(p);
    } else {
      cuts.push_back(end);
      std::vector<std::string> parts;
      std::size_t from = begin + 1;
      for (const std::size_t cut : cuts) {
        parts.push_back(p.substr(0, begin) + p.substr(from, cut - from) + p.substr(end + 1));
        from = cut + 1;
      }
      open.insert(open.end(), parts.rbegin(), parts.rend());
    }
    if (done.size() + open.size() > 65536)
      throw std::invalid_argument("plumbline: files: '" + std::string(pattern) +
                                  "' has more than 65536 alternatives; use fewer braces or list the paths");
  }
  return done;
}

}  // namespace plumbline
