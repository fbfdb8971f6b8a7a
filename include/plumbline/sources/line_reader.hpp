#pragma once
/// Text files, line by line.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/byte_stream.hpp>
#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

struct line_options {
  /// Whether empty lines are delivered.
  bool keep_empty = true;
  /// Whether a UTF-8 byte order mark at the start of a file is dropped. Other encodings are not decoded: UTF-16 is
  /// delivered as its bytes.
  bool strip_bom = true;
  /// A line that is longer is an error: the file is probably not text.
  std::uint64_t max_line_bytes = std::uint64_t{1} << 30U;
  compression stored = compression::detect;
  std::size_t buffer_bytes = std::size_t{256} << 10U;

  /// What the lines depend on.
  auto parameters() const { return std::tuple(keep_empty, strip_bom, max_line_bytes, stored); }
};

/// Reads one file, plain, gzip or zlib, detected from its bytes. Lines end with "\n" or "\r\n", which is not delivered;
/// the last one may end with the file. A "\r" elsewhere and zero bytes are part of the line.
///
/// Errors: io_error; record_error for a line above max_line_bytes, after which the following call continues with the
/// next line. Memory: the buffer and one line. A call costs one memchr and one copy.
class line_reader {
 public:
  using options_type = line_options;
  using element = std::string;

  /// Throws io_error when the file cannot be opened.
  explicit line_reader(std::string path, line_options options = {});
  /// Reads a file that is in memory; not null. `buffer_bytes` is for compressed ones.
  explicit line_reader(std::shared_ptr<const file_contents> contents, line_options options = {});

  /// Reads the next line; false at the end of the file. The memory of `out` is reused.
  bool next(std::string& out);

  const std::string& path() const { return stream_.path(); }
  /// Lines read from the file so far, including empty ones.
  std::uint64_t line() const { return line_; }
  /// Where the next line starts: byte offset in the plain stream.
  std::uint64_t offset() const { return stream_.offset(); }
  /// Load only into a fresh reader of the same file.
  template <class Io> void state(Io& io) {
    auto at = offset();
    io(line_, start_, over_, at);
    if constexpr (Io::loads) stream_.skip_to(at);
  }

 private:
  void begin();

  bool read_line(std::string& out);

  /// A "\r" that may belong to the line's end does not count.
  bool too_long(const std::string& have, std::string_view more) const;

  [[noreturn]] void fail_long();

  line_options options_;
  byte_stream stream_;
  std::uint64_t line_ = 0, start_ = 0;
  bool over_ = false;
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/line_reader_inl.hpp>
#endif
