#pragma once
/// Definitions of sources/range.hpp.

#include <plumbline/sources/range.hpp>

#include <stdexcept>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_no_range(std::int64_t step) {
  if (step == 0) throw std::invalid_argument("plumbline: range with a step of 0 would not move; give another step");
  throw std::invalid_argument("plumbline: range over all of std::int64_t has no count; leave out one end");
}

}  // namespace plumbline::detail
