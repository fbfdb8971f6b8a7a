#pragma once
/// Definitions of sources/byte_stream.hpp.

#include <plumbline/sources/byte_stream.hpp>
#include <plumbline/sources/io_error.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace plumbline {

PLUMBLINE_INLINE byte_stream::byte_stream(std::string path, std::string_view who, byte_stream_options options,
                                          bool (*is_plain)(std::span<const std::uint8_t>))
    : byte_stream(detail::stored_file(std::move(path), who), options, is_plain) {}
PLUMBLINE_INLINE byte_stream::byte_stream(std::shared_ptr<const file_contents> contents, std::string_view who,
                                          byte_stream_options options, bool (*is_plain)(std::span<const std::uint8_t>))
    : byte_stream(detail::stored_file(std::move(contents), who), options, is_plain) {}
PLUMBLINE_INLINE byte_stream::byte_stream(detail::stored_file file, byte_stream_options options,
                                          bool (*is_plain)(std::span<const std::uint8_t>))
    : file_(std::move(file)) {
  if (options.stored != compression::none) {
    const detail::unwatched_reads again;                      // these bytes are read again, from the start
    std::array<std::uint8_t, detail::detection_bytes> first;  // NOLINT: filled by read_at
    const std::span<const std::uint8_t> head{first.data(), file_.read_at(first.data(), first.size(), 0)};
    const bool plain = options.stored == compression::detect && is_plain != nullptr && is_plain(head);
    if (!plain && detail::is_compressed(options.stored, head))
      input_.emplace(detail::new_inflater(file_.who(), file_.path()));
  }
  if (const auto all = file_.in_memory(); all && !input_) {
    bytes_ = all->data();
    filled_ = capacity_ = end_ = all->size();
    return;
  }
  const std::uint64_t whole = std::max<std::uint64_t>(add_clamped(remaining_at_most(), 1), 16);
  capacity_ = static_cast<std::size_t>(std::min<std::uint64_t>(std::max<std::size_t>(options.buffer_bytes, 16), whole));
  buffer_ = std::make_unique_for_overwrite<std::uint8_t[]>(capacity_);
  bytes_ = buffer_.get();
  if (file_.size() > capacity_) file_.will_read_all();
}

PLUMBLINE_INLINE bool byte_stream::more() {
  if (!buffer_) return false;
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

PLUMBLINE_INLINE bool byte_stream::ensure(std::size_t n) {
  while (end_ - begin_ < n)
    if (!more()) return false;
  return true;
}

PLUMBLINE_INLINE std::size_t byte_stream::read(std::uint8_t* to, std::size_t n) {
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
    std::memcpy(to + got, bytes_ + begin_, part);
    begin_ += part;
    got += part;
  }
  return got;
}

PLUMBLINE_INLINE void byte_stream::skip_to(std::uint64_t at) {
  if (!buffer_) {
    begin_ = static_cast<std::size_t>(std::min<std::uint64_t>(at, end_));
  } else if (!input_) {
    begin_ = end_ = 0;
    filled_ = at;
  }
  while (offset() < at && ensure(1))
    consume(static_cast<std::size_t>(std::min<std::uint64_t>(at - offset(), end_ - begin_)));
  bool there = offset() == at;
  if (!input_ && at > 0) {  // also for files whose size the system does not know
    const detail::unwatched_reads again;
    std::uint8_t last = 0;
    there = file_.read_at(&last, 1, at - 1) == 1;
  }
  if (!there)
    throw io_error("plumbline: " + std::string(file_.who()) + " cannot continue '" + path() + "' at byte " +
                       std::to_string(at) + (input_ ? " of the output" : "") +
                       ", where a state was saved: it ends before; restore the file, or begin the epoch anew",
                   path(), input_ ? 0 : at);
}

PLUMBLINE_INLINE std::uint64_t byte_stream::remaining_at_most() const {
  constexpr std::uint64_t ratio = 1032, under_way = 66000;
  const std::uint64_t size = input_ ? input_->left(file_) : file_.size_now();
  const std::uint64_t unread = input_ ? (size < most / ratio ? size * ratio : most) : size - std::min(size, filled_);
  return add_clamped(unread, (end_ - begin_) + (input_ ? under_way : 0));
}

PLUMBLINE_INLINE std::size_t byte_stream::fetch(std::span<std::uint8_t> out) {
  const std::size_t n = input_ ? input_->fetch(file_, out) : file_.read_at(out.data(), out.size(), filled_);
  filled_ += n;
  return n;
}

}  // namespace plumbline
