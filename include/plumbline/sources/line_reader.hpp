#pragma once
/// Text files, line by line.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/sources/byte_stream.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

struct line_options {
  /// Whether lines without a character are delivered.
  bool keep_empty = true;
  /// Whether a UTF-8 byte order mark at the start of a file is dropped. Other encodings are not known: UTF-16 comes out
  /// as its bytes.
  bool strip_bom = true;
  /// A line that is longer is an error: probably this is no text.
  std::uint64_t max_line_bytes = std::uint64_t{1} << 30U;
  compression stored = compression::detect;
  std::size_t buffer_bytes = std::size_t{256} << 10U;
};

/// Reads one file, plain, gzip or zlib, told apart by its bytes. Lines end with "\n" or "\r\n", which is not delivered;
/// the last one may end with the file. A "\r" elsewhere and zero bytes are part of the line.
///
/// Errors: io_error; record_error for a line above max_line_bytes, after which the following call goes on with the next
/// line. Memory: the buffer and one line. A call costs one memchr and one copy.
class line_reader {
 public:
  using element = std::string;

  /// Throws io_error when the file cannot be opened.
  explicit line_reader(std::string path, line_options options = {})
      : options_(options), stream_(std::move(path), "lines", {options.stored, options.buffer_bytes}) {}

  /// The next line; false at the end of the file. `out` keeps its memory.
  bool next(std::string& out) {
    if (over_) return false;
    try {
      if (stream_.offset() == 0) begin();
      bool found = read_line(out);
      while (found && out.empty() && !options_.keep_empty) found = read_line(out);
      over_ = !found;
      return found;
    } catch (const io_error& e) {
      over_ = true;
      throw io_error(std::string(e.what()) + " (met in line " + std::to_string(line_ + 1) + ", which starts at byte " +
                         std::to_string(start_) + (stream_.compressed() ? " of the output)" : ")"),
                     e.path(), e.offset(), e.code());
    }
  }

  const std::string& path() const { return stream_.path(); }
  /// Lines read from the file so far, empty ones included.
  std::uint64_t line() const { return line_; }
  /// Where the next line starts: byte of the plain stream.
  std::uint64_t offset() const { return stream_.offset(); }
  /// Loading is for a fresh reader of the same file.
  template <class Io> void state(Io& io) {
    auto at = offset();
    io(line_, start_, over_, at);
    if constexpr (Io::loads) stream_.skip_to(at);
  }

 private:
  void begin() {
    if (!options_.strip_bom || !stream_.ensure(3)) return;
    const std::span<const std::uint8_t> b = stream_.buffered();
    if (b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) stream_.consume(3);
  }

  bool read_line(std::string& out) {
    start_ = stream_.offset();
    out.clear();
    for (;;) {
      const std::span<const std::uint8_t> b = stream_.buffered();
      if (b.empty()) {
        if (stream_.more()) continue;
        if (stream_.offset() == start_) return false;
        break;  // the last line, without "\n"
      }
      const auto* text = reinterpret_cast<const char*>(b.data());
      const auto* end = static_cast<const char*>(std::memchr(text, '\n', b.size()));
      const std::size_t n = end != nullptr ? static_cast<std::size_t>(end - text) : b.size();
      if (out.size() + n > options_.max_line_bytes && too_long(out, {text, n})) fail_long();
      out.append(text, n);
      stream_.consume(end != nullptr ? n + 1 : n);
      if (end == nullptr) continue;
      if (!out.empty() && out.back() == '\r') out.pop_back();
      break;
    }
    ++line_;
    return true;
  }

  /// A "\r" that may belong to the line's end does not count.
  bool too_long(const std::string& have, std::string_view more) const {
    const char last = more.empty() ? have.back() : more.back();
    return have.size() + more.size() - (last == '\r' ? 1 : 0) > options_.max_line_bytes;
  }

  [[noreturn]] void fail_long() {
    const std::uint64_t number = line_++;
    const std::string what =
        "plumbline: lines: line " + std::to_string(number + 1) + " of '" + path() + "', at byte " +
        std::to_string(start_) + ", is longer than max_line_bytes, " + std::to_string(options_.max_line_bytes) +
        "; raise it in line_options if such lines are meant, otherwise check that the file is text";
    bool ended = false;
    while (!ended && (!stream_.buffered().empty() || stream_.more())) {  // to the next line
      const std::span<const std::uint8_t> b = stream_.buffered();
      const auto* end = static_cast<const std::uint8_t*>(std::memchr(b.data(), '\n', b.size()));
      ended = end != nullptr;
      stream_.consume(ended ? static_cast<std::size_t>(end - b.data()) + 1 : b.size());
    }
    throw record_error(what, path(), number, start_, true);
  }

  line_options options_;
  byte_stream stream_;
  std::uint64_t line_ = 0, start_ = 0;
  bool over_ = false;
};

}  // namespace plumbline
