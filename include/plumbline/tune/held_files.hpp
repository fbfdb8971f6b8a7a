#pragma once
/// held_files: a file_memory that holds a share of the files.

#include <plumbline/core/hash_of.hpp>
#include <plumbline/data/file_memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumbline::detail {

class held_files final : public file_memory {
 public:
  /// Holds about this share of the files, and at most so many bytes.
  held_files(double share, std::uint64_t most) : share_(share), most_(most) {}

  std::optional<byte_tensor> bytes(const std::string& path, byte_tensor (*read)(const std::string&)) override {
    const auto hash = hash_of(std::string_view(path));
    requested_.fetch_add(1, std::memory_order_relaxed);
    used_.store(true, std::memory_order_relaxed);
    if (static_cast<double>(hash >> 11U) * 0x1p-53 >= share_) return std::nullopt;
    {
      const std::shared_lock lock(mutex_);
      if (const auto known = files_.find(path); known != files_.end()) {
        found_.fetch_add(1, std::memory_order_relaxed);
        return known->second;
      }
    }
    byte_tensor data = read(path);
    const std::scoped_lock lock(mutex_);
    if (data.size() <= most_ - held_ && files_.try_emplace(path, data).second) held_ += data.size();
    return data;
  }
  /// Forgets what was requested until now.
  void count_anew() { requested_ = found_ = 0; }
  /// The share of the requested files that was there.
  double found() const {
    const auto all = requested_.load();
    return all == 0 ? share_ : std::min(1.0, static_cast<double>(found_.load()) / static_cast<double>(all));
  }
  /// True if a file was requested, be it one of those that it holds: of few files, none may be.
  bool used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> used_{false};
  std::atomic<std::uint64_t> requested_{0}, found_{0};
  std::shared_mutex mutex_;
  std::unordered_map<std::string, byte_tensor> files_{};
  const double share_;
  const std::uint64_t most_;
  std::uint64_t held_ = 0;
};

}  // namespace plumbline::detail
