#pragma once
/// Definitions of sources/tfrecord_reader.hpp.

#include <plumbline/data/crc32.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/tfrecord_reader.hpp>

#include <utility>

namespace plumbline::detail {

inline std::uint64_t little_endian(const std::uint8_t* p, std::size_t n) {
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < n; ++i) v |= std::uint64_t{p[i]} << (8 * i);
  return v;
}

PLUMBLINE_INLINE bool is_tfrecord_header(std::span<const std::uint8_t> head) {
  return head.size() >= 12 && masked_crc32c(head.first(8)) == little_endian(head.data() + 8, 4);
}

}  // namespace plumbline::detail

namespace plumbline {

PLUMBLINE_INLINE tfrecord_reader::tfrecord_reader(std::string path, tfrecord_options options)
    : options_(options),
      stream_(std::move(path), "tfrecords", {options.stored, options.buffer_bytes}, &detail::is_tfrecord_header) {}
PLUMBLINE_INLINE tfrecord_reader::tfrecord_reader(std::shared_ptr<const file_contents> contents,
                                                  tfrecord_options options)
    : options_(options),
      stream_(std::move(contents), "tfrecords", {options.stored, options.buffer_bytes}, &detail::is_tfrecord_header) {}

PLUMBLINE_INLINE bool tfrecord_reader::next(byte_tensor& out) {
  if (over_) return false;
  start_ = stream_.offset();
  bool intact = false;
  try {
    intact = read_record(out);
  } catch (const io_error& e) {
    over_ = true;
    throw io_error(std::string(e.what()) + " (met in record " + std::to_string(record_) + ", which starts at byte " +
                       std::to_string(start_) + (stream_.compressed() ? " of the output)" : ")"),
                   e.path(), e.offset(), e.code());
  }
  over_ = !intact;
  if (intact) ++record_;
  return intact;
}

PLUMBLINE_INLINE bool tfrecord_reader::read_record(byte_tensor& out) {
  if (!stream_.ensure(header)) {
    const std::size_t there = stream_.buffered().size();
    if (there == 0) return false;
    fail(std::string("stops in its ") + (there < 8 ? "length" : "length's checksum") + ", " + std::to_string(there) +
         " of " + std::to_string(header) + " bytes are there" + std::string(cut_advice()));
  }
  const std::span<const std::uint8_t> head = stream_.buffered().first(header);
  const std::uint64_t length = detail::little_endian(head.data(), 8);
  if (!detail::is_tfrecord_header(head)) fail_header(head);
  if (length > options_.max_record_bytes)
    fail("claims " + std::to_string(length) + " bytes, more than max_record_bytes, " +
         std::to_string(options_.max_record_bytes) +
         "; raise it in tfrecord_options if such records are meant, otherwise write the file again");
  stream_.consume(header);

  const std::uint64_t there = stream_.buffered().size();
  if (length > there && length > stream_.remaining_at_most())  // before memory is allocated for it
    fail_cut(length, stream_.remaining_at_most());
  out = byte_tensor::uninitialized({static_cast<std::size_t>(length)});
  const std::size_t got = stream_.read(out.data(), out.size());
  if (got < out.size()) fail_cut(length, got);
  if (!stream_.ensure(footer))
    fail("stops in its payload's checksum, " + std::to_string(stream_.buffered().size()) + " of 4 bytes are there" +
         std::string(cut_advice()));
  const std::uint64_t wanted = detail::little_endian(stream_.buffered().data(), 4);
  stream_.consume(footer);
  if (options_.verify_crc && masked_crc32c(std::as_const(out).span()) != wanted) {
    const std::uint64_t number = record_++;
    throw record_error(
        message(number,
                "has a payload of " + std::to_string(length) +
                    " bytes that does not match its checksum; write the file again, or set verify_crc = false in "
                    "tfrecord_options to take it as it is"),
        path(), number, start_, true);
  }
  return true;
}

PLUMBLINE_INLINE std::string tfrecord_reader::message(std::uint64_t number, const std::string& problem) const {
  return "plumbline: tfrecords: record " + std::to_string(number) + " of '" + path() + "', at byte " +
         std::to_string(start_) + (stream_.compressed() ? " of the output, " : ", ") + problem;
}

PLUMBLINE_INLINE std::string_view tfrecord_reader::cut_advice() {
  return "; the file is incomplete: write or copy it again";
}

[[noreturn]] PLUMBLINE_INLINE void tfrecord_reader::fail(const std::string& problem) {
  over_ = true;
  throw record_error(message(record_, problem), path(), record_, start_, false);
}

[[noreturn]] PLUMBLINE_INLINE void tfrecord_reader::fail_cut(std::uint64_t length, std::uint64_t there) {
  fail("stops in its payload, at most " + std::to_string(there) + " of " + std::to_string(length) + " bytes are there" +
       std::string(cut_advice()));
}

[[noreturn]] PLUMBLINE_INLINE void tfrecord_reader::fail_header(std::span<const std::uint8_t> head) {
  bool zeros = true;
  for (const std::uint8_t b : head) zeros = zeros && b == 0;
  if (zeros)
    fail("is zeros, not a record; the file was padded or not written to its end: cut it here or write it again");
  if (record_ == 0) fail("has a length that does not match its checksum; is this a TFRecord file?");
  fail("has a length that does not match its checksum, so nothing from here on can be read; write the file again");
}

}  // namespace plumbline
