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

PLUMBLINE_INLINE void detail::check_iterable(const shape& s) {
  if (s.rank() != 1)
    throw shape_mismatch("plumbline: for (auto x : t) needs a tensor with one dimension, and this one has shape " +
                         to_string(s) + "; iterate over t.span(), all elements, or over t[i], i < t.shape()[0]");
}

}  // namespace plumbline
