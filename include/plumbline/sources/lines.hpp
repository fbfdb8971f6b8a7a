#pragma once
/// lines(path, folder, pattern or list): the lines of text files, plain, gzip or zlib, one file after another.
///   lines("corpus/*.txt.gz", {.keep_empty = false}) | map(tokenize)
/// The files are listed once, here, and read anew every epoch. Errors: see file_list and line_reader.
///
/// parse_lines(): the lines of a file that is in memory, for flat_map, as parse_tfrecords() of TFRecord files:
///   files("corpus/*.txt") | shuffle(1) | read_file() | flat_map(parse_lines()) | map(tokenize)
/// tf.data: TextLineDataset, PyTorch: -, grain: -, mlx-data: stream_line_reader

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/sources/file_list.hpp>
#include <plumbline/sources/file_sequence.hpp>
#include <plumbline/sources/line_reader.hpp>
#include <plumbline/sources/parsed.hpp>

namespace plumbline {

struct lines_source : source_base {
  using element = std::string;
  static constexpr std::string_view name = "lines";
  static constexpr bool blocking = true;
  using sequence = detail::file_sequence<line_reader>;
  sequence text;
  bool keeps_empty;

  static constexpr stream_facts type_facts{.blocking = true};
  stream_facts facts() const { return type_facts; }
  auto open(std::uint64_t) const { return sequence::cursor(text); }
  std::string describe(std::uint64_t i) const;
  const file_list& listed() const { return text.files(); }
  std::uint64_t content() const { return text.files().content(); }
  std::uint64_t content_now() const { return text.files().content_now(); }
  auto parameters() const { return text.options().parameters(); }
};

inline auto lines(file_list files, line_options options = {}) {
  return from(lines_source{{}, {std::move(files), options}, options.keep_empty});
}

/// A function from a file's contents to a range of its lines, which is walked once. Errors: see line_reader.
inline auto parse_lines(line_options options = {}) { return detail::parser<line_reader>{options}; }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/lines_inl.hpp>
#endif
