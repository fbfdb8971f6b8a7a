#pragma once
/// A regular file, opened for reading, closed with the object. POSIX; private to the readers.

#include <plumbline/core/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::detail {

/// Where a read may get its bytes from: never waiting, from the page cache alone.
enum class read_from : bool { storage, page_cache };

class open_file {
 public:
  /// Throws io_error unless `path` is a regular file that can be read: a FIFO or device cannot be read again in the
  /// next epoch, and opening one could wait for ever. `who` is the operator that the message names.
  open_file(std::string path, std::string_view who);
  /// The same, if it can be opened without asking storage.
  static std::optional<open_file> cached(std::string path, std::string_view who);
  open_file(open_file&& o) noexcept;
  open_file& operator=(open_file&& o) noexcept;
  ~open_file();

  const std::string& path() const { return path_; }
  std::string_view who() const { return who_; }
  /// Bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// Bytes, now.
  std::uint64_t size_now() const;

  /// Tells the kernel that the file is read from start to end, once.
  void will_read_all() const;

  static constexpr std::size_t not_cached = ~std::size_t{0};
  /// Reads at `offset` until `n` bytes are there, the file ends, or an error follows some bytes (which the next call
  /// meets again). Returns how many: 0 only at the end, and not_cached when they are not all in the page cache that
  /// they should come from. Throws io_error, also when the end is not where it was when the file was opened.
  std::size_t read_at(std::uint8_t* to, std::size_t n, std::uint64_t offset, read_from from = read_from::storage) const;

 private:
  /// Opened by `open`, or fd_ < 0.
  open_file(std::string path, std::string_view who, int (*open)(const char* path, int flags));
  void inspect();

  std::string path_;
  std::string_view who_;  // names an operator: a literal
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/open_file_inl.hpp>
#endif
