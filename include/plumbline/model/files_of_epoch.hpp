#pragma once
/// files_of_epoch: how many files an epoch reads and their size, as the sources listed them when they were made. So a
/// run that saw some of them knows how many more there are.

#include <plumbline/model/trace.hpp>

#include <cstddef>

namespace plumbline::detail {

/// A file that is read twice counts twice.
struct files_of_epoch {
  double files = 0;  ///< 0: not known
  double bytes = 0;  ///< 0: not known
};
/// Whether an operator of this form leaves its elements as they are. (It may leave some out, or repeat them.)
inline bool passes_files_on(form f) {
  return f == form::renumber || f == form::async_boundary || f == form::index_cache || f == form::structure;
}
/// Of operator i, which reads files: those that its source lists, as far as they reach it.
inline files_of_epoch files_read_by(const trace& t, std::size_t i) {
  const auto& row = t.operators[i];
  if (row.inputs.empty()) return {row.files, row.file_bytes};
  // each element that it takes is a file
  const auto& taken = t.operators[row.inputs[0] - 1].facts.count;
  if (row.inputs.size() != 1 || !taken.exact()) return {};
  files_of_epoch all{.files = static_cast<double>(taken.least)};
  const auto* at = &row;
  bool listed = true, once = true;  // a map between may name other files, a group several
  while (at->inputs.size() == 1) {
    at = &t.operators[at->inputs[0] - 1];
    listed = listed && (at->inputs.empty() || passes_files_on(at->how));
    once = once && at->facts.count.exact() && static_cast<double>(at->facts.count.least) == all.files;
  }
  if (!listed || !(at->files > 0)) return row.how == form::element ? all : files_of_epoch{};
  if (once && at->files == all.files) all.bytes = at->file_bytes;
  return all;
}
/// Of all operators that have read something. At least so many files; their bytes are known only if each operator's
/// are.
inline files_of_epoch files_of_epoch_of(const trace& t) {
  files_of_epoch all;
  bool bytes = true;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    if (t.counters[i].bytes_read == 0) continue;
    const auto of = files_read_by(t, i);
    all.files += of.files;
    all.bytes += of.bytes;
    bytes = bytes && of.bytes > 0;
  }
  if (!bytes) all.bytes = 0;
  return all;
}

}  // namespace plumbline::detail
