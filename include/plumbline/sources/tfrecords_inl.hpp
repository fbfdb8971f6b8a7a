#pragma once
/// Definitions of sources/tfrecords.hpp.

#include <plumbline/sources/tfrecords.hpp>

namespace plumbline {

PLUMBLINE_INLINE std::string tfrecords_source::describe(std::uint64_t i) const {
  const auto at = records.locate(i);
  return at ? at->first + ", record " + std::to_string(at->second) : "not read yet";
}

}  // namespace plumbline
