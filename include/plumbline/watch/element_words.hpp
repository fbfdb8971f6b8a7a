#pragma once
/// words_for: what reports call the elements that a pipeline yields: batches, if they are.

#include <plumbline/model/layout.hpp>

#include <string_view>
#include <vector>

namespace plumbline::detail {

struct element_words {
  std::string_view one = "element", many = "elements";
};
/// Batches, if an operator makes each of several elements of another type, as far as count rules show that.
inline element_words words_for(const std::vector<layout_row>& rows) {
  for (const auto* row = &rows.back(); row->inputs.size() == 1;) {
    const auto& from = rows[row->inputs.front() - 1];
    const bool other = row->element != from.element;
    if (other && row->takes > 1) return {"batch", "batches"};
    if (other && row->takes != 1) break;
    row = &from;
  }
  return {};
}

}  // namespace plumbline::detail
