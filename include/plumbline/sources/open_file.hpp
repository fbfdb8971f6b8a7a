#pragma once
/// A regular file, opened for reading, closed with the object. POSIX; private to the readers.

#include <plumbline/core/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::detail {

/// Where a read may get its bytes from: storage, or the page cache alone, which never waits.
enum class read_from : bool { storage, page_cache };

class open_file {
 public:
  /// Throws io_error unless `path` is a regular file that can be read: a FIFO or device cannot be read again in the
  /// next epoch, and opening one could wait for ever. `who` is the operator that the message names.
  open_file(std::string path, std::string_view who);
  /// The same if it can be opened without reading from storage, else nothing.
  static std::optional<open_file> cached(std::string path, std::string_view who);
  open_file(open_file&& o) noexcept;
  open_file& operator=(open_file&& o) noexcept;
  ~open_file();

  const std::string& path() const { return path_; }
  std::string_view who() const { return who_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// In bytes, now.
  std::uint64_t size_now() const;

  /// Advises the kernel that the file is read from start to end, once.
  void will_read_all() const;
  /// Asks the kernel to begin to read the file, without waiting: for the file that is read next. Its first MiB, beyond
  /// which the system reads ahead. Nothing if it cannot be opened, which its reader will report.
  static void will_read_next(const std::string& path);

  static constexpr std::size_t not_cached = ~std::size_t{0};
  /// Reads at `offset` until it has `n` bytes, the file ends, or an error follows some bytes (the next call then gets
  /// the error again). Returns how many: 0 only at the end, and not_cached if they should come from the page cache and
  /// are not all there. Throws io_error, also if the file ends earlier than when it was opened.
  std::size_t read_at(std::uint8_t* to, std::size_t n, std::uint64_t offset, read_from from = read_from::storage) const;

 private:
  /// Opens it with `open`; fd_ < 0 if that fails.
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
