#pragma once
/// Which of a folder's entries is most like what a pattern names: for messages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plumbline/sources/glob.hpp>

namespace plumbline::detail {

/// A pattern for one name, without '/' and braces.
struct wanted_name {
  std::string text{};
  bool folder = false;     ///< more follows
  bool any_depth = false;  ///< it may as well be further below
};

/// The fewest bytes to insert, delete or replace in a name until it matches the pattern; case does not count.
inline std::size_t edits_between(std::string_view pattern, std::string_view name) {
  const auto lower = [](char c) { return fold_ascii(static_cast<unsigned char>(c), true); };
  std::vector<std::size_t> row(name.size() + 1);  // by length of the name: the edits for the pattern so far
  for (std::size_t i = 0; i != row.size(); ++i) row[i] = i;
  while (!pattern.empty()) {
    const char c = pattern[0];
    const std::size_t end = c == '[' ? set_end(pattern) : std::string_view::npos;
    const bool set = end != std::string_view::npos, escaped = c == '\\' && pattern.size() > 1;
    const char32_t want = lower(escaped ? pattern[1] : c);
    pattern.remove_prefix(set ? end + 1 : escaped ? 2 : 1);
    if (c == '*') {
      for (std::size_t i = 1; i != row.size(); ++i) row[i] = std::min(row[i], row[i - 1]);
      continue;
    }
    std::size_t before = row[0]++;
    for (std::size_t i = 1; i != row.size(); ++i) {
      const bool fits = set || c == '?' || lower(name[i - 1]) == want;
      const std::size_t replaced = before + (fits ? 0 : 1);
      before = row[i];
      row[i] = std::min(replaced, std::min(row[i], row[i - 1]) + 1);
    }
  }
  return row.back();
}

/// The entry that is most like one of `wanted`: visible, a file or folder as needed, of the same name but for the
/// extension, with the fewest edits, the bytewise first. In whatever order they come.
class most_similar {
 public:
  most_similar(const std::vector<wanted_name>& wanted, bool hidden) : wanted_(wanted), hidden_(hidden) {}
  void add(const std::string& name, bool folder) {
    for (const wanted_name& w : wanted_) {
      const bool unseen = name[0] == '.' && !hidden_ && !w.text.starts_with('.');
      const bool wrong_kind = !w.any_depth && (w.folder ? !folder : folder && is_glob(w.text));
      const bool other = edits_between(stem(w.text), stem(name)) != 0;
      const std::uint64_t flaws = (unseen ? 4U : 0U) + (wrong_kind ? 2U : 0U) + (other ? 1U : 0U);
      const std::uint64_t all = (flaws << 32U) + edits_between(w.text, name);
      if (name_.empty() || all < flaws_ || (all == flaws_ && name < name_)) name_ = name, flaws_ = all;
    }
  }
  const std::string& name() const { return name_; }

 private:
  static std::string_view stem(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == 0 ? name : name.substr(0, dot);
  }

  const std::vector<wanted_name>& wanted_;
  bool hidden_;
  std::string name_{};  // the best so far, and what it lacks: by weight, then its edits
  std::uint64_t flaws_ = 0;
};

}  // namespace plumbline::detail
