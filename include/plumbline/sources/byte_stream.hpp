#pragma once
/// A file read from start to end through one buffer, decompressed if necessary. Record readers are built on it. Plain
/// bytes that are in memory need no buffer.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/compressed_input.hpp>
#include <plumbline/sources/compression.hpp>
#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/stored_file.hpp>

namespace plumbline {

struct byte_stream_options {
  compression stored = compression::detect;
  /// At least 16; a smaller file gets a smaller buffer.
  std::size_t buffer_bytes = std::size_t{256} << 10U;
};

/// Memory: the buffer; for a compressed file also 64 KiB of its bytes and zlib's 40 kB. One stream, one reader: not
/// thread-safe. Errors: io_error, after everything before the damage has been delivered. With compression::detect, a
/// truncated zlib file of less than 64 plain bytes is taken for plain text.
class byte_stream {
 public:
  /// `who` names the operator in errors and must be a literal. `is_plain`, called with the first bytes of the file,
  /// returns true if they are certainly not compressed.
  explicit byte_stream(std::string path, std::string_view who = "byte_stream", byte_stream_options options = {},
                       bool (*is_plain)(std::span<const std::uint8_t>) = nullptr);
  /// The same of a file whose contents have been read. Not null.
  explicit byte_stream(std::shared_ptr<const file_contents> contents, std::string_view who = "byte_stream",
                       byte_stream_options options = {}, bool (*is_plain)(std::span<const std::uint8_t>) = nullptr);

  const std::string& path() const { return file_.path(); }
  bool compressed() const { return input_.has_value(); }
  /// The position of the next byte in the plain stream.
  std::uint64_t offset() const { return filled_ - (end_ - begin_); }
  std::size_t capacity() const { return capacity_; }

  /// The bytes in the buffer that have not been consumed; valid until the next call that is not const.
  std::span<const std::uint8_t> buffered() const { return {bytes_ + begin_, end_ - begin_}; }
  /// `n` must be at most buffered().size().
  void consume(std::size_t n) { begin_ += n; }

  /// Reads more into the buffer; false at the end of the file or when the buffer is full of unconsumed bytes.
  bool more();

  /// Buffers at least `n` bytes, where n is at most capacity(); false if the file ends before.
  bool ensure(std::size_t n);

  /// Moves up to `n` bytes to `to`, fewer only at the end of the file. Large reads bypass the buffer.
  std::size_t read(std::uint8_t* to, std::size_t n);

  /// Continues at this byte of the plain stream, which must be ahead. A compressed file is decoded up to there. Throws
  /// io_error if the file ends before.
  void skip_to(std::uint64_t at);

  /// An upper bound of the plain bytes that follow, from the file's size: deflate shrinks at most 1032 to 1 (zlib's
  /// technical notes), and a little is in flight. A damaged length beyond it can be rejected before memory is allocated
  /// for it. One fstat.
  std::uint64_t remaining_at_most() const;

 private:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t add_clamped(std::uint64_t a, std::uint64_t b) { return a < most - b ? a + b : most; }

  byte_stream(detail::stored_file file, byte_stream_options options, bool (*is_plain)(std::span<const std::uint8_t>));
  std::size_t fetch(std::span<std::uint8_t> out);

  detail::stored_file file_;
  std::optional<detail::compressed_input> input_;
  std::unique_ptr<std::uint8_t[]> buffer_{};  // null: the bytes are those in memory
  const std::uint8_t* bytes_ = nullptr;       // what is buffered
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // the part of bytes_ that has not been consumed
  std::uint64_t filled_ = 0;         // plain bytes taken from the file
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/byte_stream_inl.hpp>
#endif
