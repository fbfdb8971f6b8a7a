#pragma once
/// file_memory: whole files that are copied from this process's memory instead of being read, as a cache's elements
/// are. So analyze measures what a cache changes without compiling the pipeline with one (tune/held_files.hpp).

#include <plumbline/data/tensor.hpp>

#include <optional>
#include <string>

namespace plumbline::detail {

struct file_memory {
  virtual ~file_memory() = default;
  /// A copy of what the file at `path` has, which `read` returns the first time; nothing for files that are not held.
  virtual std::optional<byte_tensor> bytes(const std::string& path, byte_tensor (*read)(const std::string&)) = 0;

  /// That of the run which this thread computes for, or null.
  static file_memory*& here() {
    thread_local file_memory* m = nullptr;
    return m;
  }
};

}  // namespace plumbline::detail
