#pragma once
/// The errors of stored bytes: the storage failed (`io_error`), or what it holds is damaged (`record_error`).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plumbline {

/// A file could not be opened, listed, read or decompressed. `what()` is one line: operator, path, byte offset where it
/// is known, the system's error text, and what to do.
class io_error : public std::runtime_error {
 public:
  io_error(const std::string& message, std::string path, std::uint64_t offset, int code = 0);

  const std::string& path() const noexcept { return path_; }
  /// Byte offset in the stored file; if it is compressed, in the compressed bytes. 0 when it could not be opened.
  std::uint64_t offset() const noexcept { return offset_; }
  /// errno, or 0 when the system reported no error (a compressed stream that is damaged, a file that is not regular).
  int code() const noexcept { return code_; }

 private:
  std::string path_;
  std::uint64_t offset_;
  int code_;
};

/// A record or line is not what its format says. Everything before it was delivered.
class record_error : public std::runtime_error {
 public:
  record_error(const std::string& message, std::string path, std::uint64_t record, std::uint64_t offset,
               bool resumable);

  const std::string& path() const noexcept { return path_; }
  /// Index of the record in its file, from 0.
  std::uint64_t record() const noexcept { return record_; }
  /// Where the record starts: byte offset in the file, after decompression.
  std::uint64_t offset() const noexcept { return offset_; }
  /// True if the file's next record can still be read: only this one is lost. Otherwise the rest of the file is.
  bool resumable() const noexcept { return resumable_; }

 private:
  std::string path_;
  std::uint64_t record_, offset_;
  bool resumable_;
};

namespace detail {

/// "No such file or directory (errno 2)"
std::string errno_text(int code);

/// Advice to the user about an errno.
std::string_view errno_advice(int code);

/// plumbline: <who> cannot <verb> '<path>' [at byte N]: <errno text>; <advice>
[[noreturn]] void throw_errno(std::string_view who, std::string_view verb, const std::string& path,
                              std::uint64_t offset, int code);

}  // namespace detail
}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/io_error_inl.hpp>
#endif
