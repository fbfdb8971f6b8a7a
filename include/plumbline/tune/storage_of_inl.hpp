#pragma once
/// Definitions of tune/storage_of.hpp.

#include <plumbline/model/demand.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/tune/relative_error.hpp>
#include <plumbline/tune/storage_of.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace plumbline::detail {

PLUMBLINE_INLINE disk_options as_read(disk_options how, double reads_most, bool others) {
  if (!std::isfinite(reads_most)) return how;
  how.read_ahead = true;
  const auto readers = static_cast<std::size_t>(std::clamp(std::ceil(reads_most), 1.0, 1024.0));
  if (!others) how.most_reads = std::min(how.most_reads, std::bit_ceil(readers));  // it measures at 1, 2, 4, ...
  return how;
}

PLUMBLINE_INLINE disk_curve storage_of(const trace& t, const disk_options& how, bool others) {
  std::vector<std::string> paths;
  for (const auto& [path, read] : t.files) paths.push_back(path);
  const auto r = rates(t);
  // stages take files in any order, however few of them at a time the user allows
  const bool in_order =
      std::none_of(r.parts.begin(), r.parts.end(), [&](const auto& p) { return reads_storage(r, p) && !p.serial; });
  auto as = as_read(how, in_order ? reads_at_once(r) : infinite, others);
  // a source of many files; the streams of a nest have one each
  as.next_file = as.read_ahead && std::all_of(r.parts.begin(), r.parts.end(),
                                              [&](const auto& p) { return !reads_storage(r, p) || p.copies == 1; });
  return measure_disk(paths, as);
}

PLUMBLINE_INLINE measured_rate measure_storage(const trace& t, disk_options how, std::size_t readers) {
  constexpr int times = 5;
  how.least_reads = how.most_reads = readers;
  how.rounds = 1;
  how.seconds /= times;
  std::vector<double> seen;
  double sum = 0;
  for (int i = 0; i != times; ++i) sum += seen.emplace_back(storage_of(t, how).measured.front().bytes_per_second);
  return {sum / times, relative_error(seen)};
}

}  // namespace plumbline::detail
