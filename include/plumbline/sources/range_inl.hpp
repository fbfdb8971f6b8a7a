#pragma once
/// Definitions of sources/range.hpp.

#include <plumbline/sources/range.hpp>

#include <stdexcept>
#include <string>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_no_range(std::int64_t from_value, std::int64_t to) {
  if (to < from_value)
    throw std::invalid_argument("plumbline: range(" + std::to_string(from_value) + ", " + std::to_string(to) +
                                ") ends before it begins; give an end that is not below the beginning");
  throw std::invalid_argument("plumbline: range over all of std::int64_t has no count; leave out one end");
}

}  // namespace plumbline::detail
