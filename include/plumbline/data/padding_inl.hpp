#pragma once
/// Definitions of data/padding.hpp.

#include <plumbline/data/padding.hpp>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_too_long(std::size_t row, std::size_t dimension, std::size_t extent,
                                                  std::size_t most) {
  throw shape_mismatch("plumbline: row " + std::to_string(row) + " of a padded batch has " + std::to_string(extent) +
                       " in dimension " + std::to_string(dimension) + ", and the batch is to have " +
                       std::to_string(most) + "; pad to more, or cut the element before");
}
[[noreturn]] PLUMBLINE_INLINE void throw_ranks(std::size_t row, std::size_t rank, std::size_t wanted) {
  throw shape_mismatch("plumbline: row " + std::to_string(row) + " of a padded batch has rank " + std::to_string(rank) +
                       " instead of " + std::to_string(wanted) +
                       "; reshape the elements to one rank, and pad to as many extents");
}

[[noreturn]] PLUMBLINE_INLINE void throw_padding(const std::string& value, const std::string& type) {
  throw std::invalid_argument("plumbline: the padding " + value + " is no value of the elements, which are " + type +
                              "; pad with another, or map them to a type that has it");
}

}  // namespace plumbline::detail
