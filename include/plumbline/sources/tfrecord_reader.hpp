#pragma once
/// TFRecord files, record by record. The format (tensorflow/core/lib/io/record_writer.h), all numbers little-endian:
///   uint64 length | uint32 masked CRC-32C of the length | payload | uint32 masked CRC-32C of the payload

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/sources/byte_stream.hpp>
#include <plumbline/sources/file_contents.hpp>

namespace plumbline {

struct tfrecord_options {
  /// Whether payloads are checked. The length always is: a wrong one could lead anywhere.
  bool verify_crc = true;
  /// A record that claims to be longer is an error, reported before memory is allocated for it.
  std::uint64_t max_record_bytes = std::uint64_t{1} << 30U;
  compression stored = compression::detect;
  std::size_t buffer_bytes = std::size_t{256} << 10U;

  /// What the payloads depend on.
  auto parameters() const { return std::tuple(verify_crc, max_record_bytes, stored); }
};

namespace detail {

/// The 12 bytes before a payload, if they are intact.
bool is_tfrecord_header(std::span<const std::uint8_t> head);

}  // namespace detail

/// Reads one file, plain, gzip or zlib, detected from its bytes. Each record is copied once from the read buffer, or
/// not at all if it is large.
///
/// Every record before damage is delivered; then next() throws record_error (or io_error, if the storage or the
/// compression is at fault), naming file, record, byte and what to do. After a payload whose checksum is wrong the
/// following call continues with the next record; after any other damage nothing more in the file can be found, and the
/// following call returns false.
class tfrecord_reader {
 public:
  using options_type = tfrecord_options;
  using element = byte_tensor;

  /// Throws io_error when the file cannot be opened.
  explicit tfrecord_reader(std::string path, tfrecord_options options = {});
  /// Reads a file that is in memory; not null. `buffer_bytes` is for compressed ones.
  explicit tfrecord_reader(std::shared_ptr<const file_contents> contents, tfrecord_options options = {});

  /// Reads the next record's payload; false at the end of the file.
  bool next(byte_tensor& out);

  const std::string& path() const { return stream_.path(); }
  /// Index, from 0, of the record that the next call of next() begins with.
  std::uint64_t record() const { return record_; }
  /// Where it starts: byte offset in the plain stream.
  std::uint64_t offset() const { return stream_.offset(); }
  /// Load only into a fresh reader of the same file.
  template <class Io> void state(Io& io) {
    auto at = offset();
    io(record_, start_, over_, at);
    if constexpr (Io::loads) stream_.skip_to(at);
  }

 private:
  bool read_record(byte_tensor& out);

  std::string message(std::uint64_t number, const std::string& problem) const;
  static std::string_view cut_advice();

  [[noreturn]] void fail(const std::string& problem);
  [[noreturn]] void fail_cut(std::uint64_t length, std::uint64_t there);
  [[noreturn]] void fail_header(std::span<const std::uint8_t> head);

  static constexpr std::size_t header = 12, footer = 4;

  tfrecord_options options_;
  byte_stream stream_;
  std::uint64_t record_ = 0, start_ = 0;
  bool over_ = false;
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/tfrecord_reader_inl.hpp>
#endif
