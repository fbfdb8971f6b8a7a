#pragma once
/// files(pattern), files({pattern, ...}): the files that a path, a folder or a pattern names, in an order that is the
/// same on any machine. Indexed, count and sizes known: listed once, here (see file_list for what a pattern may hold,
/// errors and cost).
///   files("photos/**/*.{jpg,jpeg,png}", {.ignore_case = true}) | shuffle(seed) | read_file()
/// tf.data: list_files, PyTorch: glob (Python), grain: -, mlx-data: -

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <plumbline/core/chain.hpp>
#include <plumbline/sources/file.hpp>
#include <plumbline/sources/file_list.hpp>

namespace plumbline {

struct files_source : source_base {
  using element = file;
  static constexpr std::string_view name = "files";
  static constexpr bool asked_again = true;
  file_list list;

  static constexpr stream_facts type_facts{.indexed = true};
  stream_facts facts() const { return {.count = cardinality::exactly(size()), .indexed = true}; }
  std::uint64_t size() const { return list.size(); }
  file at(std::uint64_t i) const { return list[i]; }
  std::string describe(std::uint64_t i) const { return list[i].path; }
  std::string listed() const { return list.summary(); }
  std::uint64_t content() const { return list.content(); }
  std::uint64_t content_now() const { return list.content_now(); }
};

/// Throws io_error: nothing matches, or a folder cannot be listed.
inline auto files(file_list list) { return from(files_source{{}, std::move(list)}); }
template <class Pattern>
  requires std::constructible_from<file_list, const Pattern&, file_options>
auto files(const Pattern& pattern, file_options options) { return files(file_list(pattern, options)); }

}  // namespace plumbline
