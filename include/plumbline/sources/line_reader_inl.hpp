#pragma once
/// Definitions of sources/line_reader.hpp.

#include <plumbline/sources/line_reader.hpp>

#include <cstring>

namespace plumbline {

PLUMBLINE_INLINE line_reader::line_reader(std::string path, line_options options)
    : options_(options), stream_(std::move(path), "lines", {options.stored, options.buffer_bytes}) {}
PLUMBLINE_INLINE line_reader::line_reader(std::shared_ptr<const file_contents> contents, line_options options)
    : options_(options), stream_(std::move(contents), "lines", {options.stored, options.buffer_bytes}) {}

PLUMBLINE_INLINE bool line_reader::next(std::string& out) {
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

PLUMBLINE_INLINE void line_reader::begin() {
  if (!options_.strip_bom || !stream_.ensure(3)) return;
  const std::span<const std::uint8_t> b = stream_.buffered();
  if (b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) stream_.consume(3);
}

PLUMBLINE_INLINE bool line_reader::read_line(std::string& out) {
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

PLUMBLINE_INLINE bool line_reader::too_long(const std::string& have, std::string_view more) const {
  const char last = more.empty() ? have.back() : more.back();
  return have.size() + more.size() - (last == '\r' ? 1 : 0) > options_.max_line_bytes;
}

[[noreturn]] PLUMBLINE_INLINE void line_reader::fail_long() {
  const std::uint64_t number = line_++;
  const std::string what = "plumbline: lines: line " + std::to_string(number + 1) + " of '" + path() + "', at byte " +
                           std::to_string(start_) + ", is longer than max_line_bytes, " +
                           std::to_string(options_.max_line_bytes) +
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

}  // namespace plumbline
