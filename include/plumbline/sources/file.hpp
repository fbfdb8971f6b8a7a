#pragma once
/// A file by name: what files() yields and read_file() opens.

#include <cstdint>
#include <string>

namespace plumbline {

struct file {
  std::string path;
  /// In bytes, when it was listed.
  std::uint64_t size = 0;

  friend bool operator==(const file&, const file&) = default;
};

}  // namespace plumbline
