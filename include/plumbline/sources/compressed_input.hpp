#pragma once
/// The plain bytes of a gzip or zlib file. Private to byte_stream.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <plumbline/sources/decoder.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/open_file.hpp>

namespace plumbline::detail {

/// gzip files may have several members; what follows the last one is ignored if it does not begin like a member, as
/// gzip(1) does.
class compressed_input {
 public:
  explicit compressed_input(std::unique_ptr<decoder> d)
      : decoder_(std::move(d)), stored_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity)) {}

  /// Plain bytes to `out`, which is not empty; 0 only at the end. Throws io_error, once everything before the damage
  /// was given out.
  std::size_t fetch(const open_file& file, std::span<std::uint8_t> out) {
    while (!over_) {
      if (between_members_) {
        if (end_ - begin_ < 2) refill(file);
        over_ = end_ - begin_ < 2 || stored_[begin_] != 0x1f || stored_[begin_ + 1] != 0x8b;
        if (over_) break;
        decoder_->restart();
        between_members_ = false;
      }
      if (begin_ == end_) refill(file);
      decoder::step s;
      try {
        s = decoder_->decode({stored_.get() + begin_, end_ - begin_}, out);
      } catch (const damaged_stream& e) {
        fail(file, std::string("the compressed data is damaged (") + e.what() + "); write or copy the file again");
      }
      begin_ += s.consumed;
      between_members_ = s.ended;
      plain_ += s.produced;
      if (s.produced > 0) return s.produced;
      if (!s.ended && begin_ == end_ && (refill(file), begin_ == end_))
        fail(file, "the compressed data stops before its end; the file is incomplete: write or copy it again");
    }
    return 0;
  }

  /// Compressed bytes that were not decoded yet.
  std::uint64_t left(const open_file& file) const {
    const std::uint64_t size = file.size_now();
    return (size > position_ ? size - position_ : 0) + (end_ - begin_);
  }

 private:
  static constexpr std::size_t capacity = std::size_t{64} << 10U;

  void refill(const open_file& file) {
    if (begin_ > 0 && end_ > begin_) std::memmove(stored_.get(), stored_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const std::size_t n = file.read_at(stored_.get() + end_, capacity - end_, position_);
    position_ += n;
    end_ += n;
  }

  [[noreturn]] void fail(const open_file& file, const std::string& what) const {
    const std::uint64_t at = position_ - (end_ - begin_);
    throw io_error("plumbline: " + std::string(file.who()) + " cannot decompress '" + file.path() +
                       "' at compressed byte " + std::to_string(at) + " of " + std::to_string(file.size()) +
                       ", after " + std::to_string(plain_) + " bytes of output: " + what,
                   file.path(), at);
  }

  std::unique_ptr<decoder> decoder_;
  std::unique_ptr<std::uint8_t[]> stored_;  // compressed bytes; [begin_, end_) are not decoded yet
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t position_ = 0;  // of the file, behind what is in stored_
  std::uint64_t plain_ = 0;     // bytes given out
  bool between_members_ = false, over_ = false;
};

}  // namespace plumbline::detail
