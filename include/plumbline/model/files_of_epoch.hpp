#pragma once
/// files_of_epoch: how many files an epoch reads and their size, as the sources listed them when they were made. So a
/// run that saw some of them knows how many more there are.

#include <plumbline/model/trace.hpp>

#include <cmath>
#include <cstddef>

namespace plumbline::detail {

/// A file that is read twice counts twice.
struct files_of_epoch {
  double files = 0;  ///< 0: not known
  double bytes = 0;  ///< 0: not known
};
/// Of operator i, which reads files: those that its source lists, unless an operator between leaves some out.
inline files_of_epoch files_read_by(const trace& t, std::size_t i) {
  const auto& row = t.operators[i];
  if (row.inputs.empty()) return {row.files, row.file_bytes};
  // each element that it takes is a file
  const auto& taken = t.operators[row.inputs[0] - 1].facts.count;
  if (row.inputs.size() != 1 || !taken.exact()) return {};
  files_of_epoch all{.files = static_cast<double>(taken.least)};
  bool same = true;  // files each time
  auto at = i;
  while (t.operators[at].inputs.size() == 1) at = t.operators[at].inputs[0] - 1;
  const auto& source = t.operators[at];
  if (!(source.files > 0)) return row.how == form::element ? all : files_of_epoch{};
  for (auto of = i; of != at;) {
    of = t.operators[of].inputs[0] - 1;
    const auto& n = t.operators[of].facts.count;
    same = same && n.exact() && std::fmod(static_cast<double>(n.least), source.files) == 0;
  }
  if (same) all.bytes = source.file_bytes * (all.files / source.files);
  return all;
}
/// Of all operators: what one of them does not know, all do not.
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
