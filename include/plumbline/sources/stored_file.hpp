#pragma once
/// A file's bytes as they are stored: on disk, or read into memory before. Private to byte_stream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/open_file.hpp>

namespace plumbline::detail {

class stored_file {
 public:
  /// Opens it; errors as open_file's.
  stored_file(std::string path, std::string_view who) : on_disk_(std::in_place, std::move(path), who), who_(who) {}
  /// `contents` is not null.
  stored_file(std::shared_ptr<const file_contents> contents, std::string_view who)
      : in_memory_(std::move(contents)), who_(who) {}

  const std::string& path() const { return on_disk_ ? on_disk_->path() : in_memory_->path; }
  std::string_view who() const { return who_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return on_disk_ ? on_disk_->size() : in_memory_->data.size(); }
  /// In bytes, now.
  std::uint64_t size_now() const { return on_disk_ ? on_disk_->size_now() : size(); }
  /// All of it, if it is in memory.
  std::optional<std::span<const std::uint8_t>> in_memory() const {
    if (on_disk_) return std::nullopt;
    return std::as_const(in_memory_->data).span();
  }
  /// As those of open_file.
  void will_read_all() const {
    if (on_disk_) on_disk_->will_read_all();
  }
  std::size_t read_at(std::uint8_t* to, std::size_t n, std::uint64_t offset) const {
    if (on_disk_) return on_disk_->read_at(to, n, offset);
    const auto all = *in_memory();
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
    const auto part = std::min(n, all.size() - from);
    if (part != 0) std::memcpy(to, all.data() + from, part);
    return part;
  }

 private:
  std::optional<open_file> on_disk_{};
  std::shared_ptr<const file_contents> in_memory_{};  ///< null: it is on disk
  std::string_view who_;                              ///< names an operator: a literal
};

}  // namespace plumbline::detail
