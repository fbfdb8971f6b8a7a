#pragma once
/// Definitions of core/type_name.hpp.

#include <plumbline/core/type_name.hpp>

namespace plumbline {

namespace detail {

/// g++ writes `f()::<lambda(int)>`, clang `(lambda at file:1:2)`.
inline bool is_lambda(std::string_view s) {
  if (s.starts_with("(lambda")) return true;
  const auto at = s.rfind("<lambda(");
  if (at == s.npos) return false;
  int open = 0;
  for (auto i = at; i != s.size(); ++i) {
    open += s[i] == '<' ? 1 : s[i] == '>' ? -1 : 0;
    if (open == 0) return i + 1 == s.size();
  }
  return false;
}

PLUMBLINE_INLINE std::string base_name(std::string_view s) {
  if (is_lambda(s)) return "lambda";
  s = s.substr(0, s.find('<'));
  const auto colon = s.rfind("::");
  return std::string(colon == s.npos ? s : s.substr(colon + 2));
}

PLUMBLINE_INLINE std::string function_text(std::string s) {
  for (const std::string_view end : {"_fn", "_fixed"})
    for (auto at = s.find(end); at != s.npos; at = s.find(end, at)) {
      const auto next = at + end.size();
      if (next == s.size() || s[next] == '>' || s[next] == '<' || s[next] == ',')
        s.erase(at, end.size());
      else
        at = next;
    }
  return s;
}

}  // namespace detail

PLUMBLINE_INLINE std::string label_with(std::string_view op, const std::string& function) {
  return std::string(op) + "(" + function + ")";
}

}  // namespace plumbline
