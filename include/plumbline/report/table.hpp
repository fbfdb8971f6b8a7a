#pragma once
/// table: text in aligned columns.

#include <algorithm>
#include <string>
#include <vector>

namespace plumbline::detail {

/// The first row is the header.
inline std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& r : rows) {
    width.resize(std::max(width.size(), r.size()), 0);
    for (std::size_t i = 0; i < r.size(); ++i) width[i] = std::max(width[i], r[i].size());
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& r) {
    std::string text;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (i != 0) text += "  ";
      text += r[i] + std::string(width[i] - r[i].size(), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    line(rows[i]);
    if (i == 0) {
      std::vector<std::string> rule;
      for (const auto w : width) rule.emplace_back(w, '-');
      line(rule);
    }
  }
  return out;
}

}  // namespace plumbline::detail
