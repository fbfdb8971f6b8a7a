#pragma once
/// listed_files: the files that a pipeline's sources list, apart from the rest of what a pipeline is, so that a message
/// can say that it was the files which changed.

#include <cstdint>
#include <string>

namespace plumbline::detail {

struct listed_files {
  std::uint64_t operators = 0;  ///< a hash of the pipeline without what changes when its files do
  std::uint64_t files = 0;      ///< a hash of the files' names and sizes
  std::string text{};           ///< "files: 40 files, 12345 bytes"; empty: no source lists files
};

}  // namespace plumbline::detail
