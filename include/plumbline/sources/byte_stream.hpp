#pragma once
/// A file read from start to end through one buffer, decompressed on the way if need be: what record readers stand on.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/sources/compressed_input.hpp>
#include <plumbline/sources/compression.hpp>
#include <plumbline/sources/open_file.hpp>

namespace plumbline {

struct byte_stream_options {
  compression stored = compression::detect;
  /// At least 16; a file that is smaller takes a smaller buffer.
  std::size_t buffer_bytes = std::size_t{256} << 10U;
};

/// Memory: the buffer; for a compressed file also 64 KiB of its bytes and zlib's 40 kB. One stream, one reader: not
/// thread-safe. Errors: io_error, once everything before the damage was given out. A zlib file of less than 64 plain
/// bytes that was cut short is taken for plain text when its compression is to be detected.
class byte_stream {
 public:
  /// `who` names the operator in errors and must be a literal. `is_plain`, given the first bytes of the file, may say
  /// that they are certainly not compressed.
  explicit byte_stream(std::string path, std::string_view who = "byte_stream", byte_stream_options options = {},
                       bool (*is_plain)(std::span<const std::uint8_t>) = nullptr)
      : file_(std::move(path), who) {
    if (options.stored != compression::none) {
      const detail::unwatched_reads again;                      // from the beginning, when they are wanted
      std::array<std::uint8_t, detail::detection_bytes> first;  // NOLINT: filled by read_at
      const std::span<const std::uint8_t> head{first.data(), file_.read_at(first.data(), first.size(), 0)};
      const bool plain = options.stored == compression::detect && is_plain != nullptr && is_plain(head);
      if (!plain && detail::is_compressed(options.stored, head))
        input_.emplace(detail::new_inflater(who, file_.path()));
    }
    const std::uint64_t whole = std::max<std::uint64_t>(add_clamped(remaining_at_most(), 1), 16);
    capacity_ =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max<std::size_t>(options.buffer_bytes, 16), whole));
    buffer_ = std::make_unique_for_overwrite<std::uint8_t[]>(capacity_);
    if (file_.size() > capacity_) file_.will_read_all();
  }

  const std::string& path() const { return file_.path(); }
  bool compressed() const { return input_.has_value(); }
  /// Where the next byte stands in the plain stream.
  std::uint64_t offset() const { return filled_ - (end_ - begin_); }
  std::size_t capacity() const { return capacity_; }

  /// The bytes in the buffer that were not consumed yet; valid until the next call that is not const.
  std::span<const std::uint8_t> buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }
  /// `n` is at most buffered().size().
  void consume(std::size_t n) { begin_ += n; }

  /// Adds to what is buffered; false at the end of the file or when the buffer is full of unconsumed bytes.
  bool more() {
    if (begin_ > 0) {
      if (end_ > begin_) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == capacity_) return false;
    const std::size_t n = fetch({buffer_.get() + end_, capacity_ - end_});
    end_ += n;
    return n > 0;
  }

  /// Sees to it that at least `n` bytes, at most capacity(), are buffered; false when the file ends before.
  bool ensure(std::size_t n) {
    while (end_ - begin_ < n)
      if (!more()) return false;
    return true;
  }

  /// Moves up to `n` bytes to `to`, fewer only at the end of the file. Large reads bypass the buffer.
  std::size_t read(std::uint8_t* to, std::size_t n) {
    std::size_t got = 0;
    while (got < n) {
      if (begin_ == end_ && n - got >= capacity_) {
        const std::size_t direct = fetch({to + got, n - got});
        if (direct == 0) break;
        got += direct;
        continue;
      }
      if (begin_ == end_ && !more()) break;
      const std::size_t part = std::min(n - got, end_ - begin_);
      std::memcpy(to + got, buffer_.get() + begin_, part);
      begin_ += part;
      got += part;
    }
    return got;
  }

  /// Goes on at this byte of the plain stream, which lies ahead. What is compressed is decoded up to there.
  void skip_to(std::uint64_t at) {
    if (!input_) {
      begin_ = end_ = 0;
      filled_ = at;
    }
    while (offset() < at && ensure(1))
      consume(static_cast<std::size_t>(std::min<std::uint64_t>(at - offset(), end_ - begin_)));
  }

  /// No more than this many plain bytes can follow, by the file's size: deflate shrinks at most 1032 to 1 (zlib's
  /// technical notes), and a little is under way. A damaged length that asks for more can be refused before memory is
  /// taken for it. One fstat.
  std::uint64_t remaining_at_most() const {
    constexpr std::uint64_t ratio = 1032, under_way = 66000;
    const std::uint64_t size = input_ ? input_->left(file_) : file_.size_now();
    const std::uint64_t unread = input_ ? (size < most / ratio ? size * ratio : most) : size - std::min(size, filled_);
    return add_clamped(unread, (end_ - begin_) + (input_ ? under_way : 0));
  }

 private:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t add_clamped(std::uint64_t a, std::uint64_t b) { return a < most - b ? a + b : most; }

  std::size_t fetch(std::span<std::uint8_t> out) {
    const std::size_t n = input_ ? input_->fetch(file_, out) : file_.read_at(out.data(), out.size(), filled_);
    filled_ += n;
    return n;
  }

  detail::open_file file_;
  std::optional<detail::compressed_input> input_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // what of buffer_ was not consumed yet
  std::uint64_t filled_ = 0;         // plain bytes taken from the file
};

}  // namespace plumbline
