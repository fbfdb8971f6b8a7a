#pragma once
/// Definitions of sources/compressed_input.hpp.

#include <plumbline/sources/compressed_input.hpp>
#include <plumbline/sources/io_error.hpp>

#include <cstring>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE compressed_input::compressed_input(std::unique_ptr<decoder> d)
    : decoder_(std::move(d)), stored_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity)) {}

PLUMBLINE_INLINE std::size_t compressed_input::fetch(const stored_file& file, std::span<std::uint8_t> out) {
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

PLUMBLINE_INLINE std::uint64_t compressed_input::left(const stored_file& file) const {
  const std::uint64_t size = file.size_now();
  return (size > position_ ? size - position_ : 0) + (end_ - begin_);
}

PLUMBLINE_INLINE void compressed_input::refill(const stored_file& file) {
  if (begin_ > 0 && end_ > begin_) std::memmove(stored_.get(), stored_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t n = file.read_at(stored_.get() + end_, capacity - end_, position_);
  position_ += n;
  end_ += n;
}

[[noreturn]] PLUMBLINE_INLINE void compressed_input::fail(const stored_file& file, const std::string& what) const {
  const std::uint64_t at = position_ - (end_ - begin_);
  throw io_error("plumbline: " + std::string(file.who()) + " cannot decompress '" + file.path() +
                     "' at compressed byte " + std::to_string(at) + " of " + std::to_string(file.size()) + ", after " +
                     std::to_string(plain_) + " bytes of output: " + what,
                 file.path(), at);
}

}  // namespace plumbline::detail
