#pragma once
/// file_memory: whole files that are copied from this process's memory instead of being read, as a cache's elements
/// are. So analyze measures what a cache changes without compiling the pipeline with one.

#include <plumbline/core/rng.hpp>
#include <plumbline/data/tensor.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace plumbline::detail {

class file_memory {
 public:
  /// Holds about this share of the files, and at most so many bytes.
  file_memory(double share, std::uint64_t most) : share_(share), most_(most) {}
  /// That of the run which this thread computes for, or null.
  static file_memory*& here() {
    thread_local file_memory* m = nullptr;
    return m;
  }
  /// A copy of what the file at `path` has, which `read()` returns the first time; nothing for files that are not of
  /// its share.
  template <class Read> std::optional<byte_tensor> bytes(const std::string& path, Read&& read) {
    const auto hash = hash_combine(std::hash<std::string>()(path), 0);
    if (static_cast<double>(hash >> 11U) * 0x1p-53 >= share_) return std::nullopt;
    {
      const std::shared_lock lock(mutex_);
      if (const auto known = files_.find(path); known != files_.end()) return known->second;
    }
    byte_tensor data = read();
    const std::scoped_lock lock(mutex_);
    if (data.size() <= most_ - held_ && files_.try_emplace(path, data).second) held_ += data.size();
    return data;
  }
  /// True if a file was asked for.
  bool used() const {
    const std::shared_lock lock(mutex_);
    return held_ != 0;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, byte_tensor> files_{};
  const double share_;
  const std::uint64_t most_;
  std::uint64_t held_ = 0;
};

/// While it exists, this thread's files are taken from there.
class files_from {
 public:
  explicit files_from(file_memory* m) : before_(file_memory::here()) { file_memory::here() = m; }
  ~files_from() { file_memory::here() = before_; }
  files_from(const files_from&) = delete;
  files_from& operator=(const files_from&) = delete;

 private:
  file_memory* before_;
};

}  // namespace plumbline::detail
