#pragma once
/// Definitions of sources/lines.hpp.

#include <plumbline/sources/lines.hpp>

namespace plumbline {

PLUMBLINE_INLINE std::string lines_source::describe(std::uint64_t i) const {
  const auto at = text.locate(i);
  if (!at) return "not read yet";
  return at->first + (keeps_empty ? ", line " : ", non-empty line ") + std::to_string(at->second + 1);
}

}  // namespace plumbline
