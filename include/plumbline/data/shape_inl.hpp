#pragma once
/// Definitions of data/shape.hpp.

#include <plumbline/data/shape.hpp>

namespace plumbline {

PLUMBLINE_INLINE std::string to_string(const shape& s) {
  std::string text = "[";
  for (std::size_t i = 0; i < s.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(s[i]);
  }
  return text + "]";
}

}  // namespace plumbline
