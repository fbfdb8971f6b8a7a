#pragma once
/// Materialised sizes: how many elements each operator yields in an epoch and how large they are, from the source to
/// the root (Plumber, sections 4.4 and 5.3, appendix A). A cache after the operator would take that much memory.
///   for (const auto& s : sizes(t)) std::cout << s.bytes << " +- " << s.error << '\n';
///
/// A count is that of the layout if known there (layout_row::facts); else it is the count of the input times the ratio
/// that the operator's count rule states or the run showed. It is exact if the trace saw whole epochs. Else it has a
/// standard error, that of a sample of n of N files and of the elements that a filter tested, with the
/// finite-population correction.

#include <plumbline/model/files_of_epoch.hpp>
#include <plumbline/model/tree.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline {

/// The stored files, if the caller knows more than the run saw; listing files is cheap compared with reading them.
struct stored_files {
  std::size_t files = 0;  ///< number of all files; 0: as many as the layout knows of, or as the run read
  double bytes = 0;       ///< of all files; 0: as the layout knows, or estimated from those read
};

struct materialised {
  double count = 0;         ///< elements in an epoch; infinite: endless
  double count_error = 0;   ///< relative standard error of `count`
  double bytes_each = 0;    ///< mean size of an element
  double bytes = 0;         ///< of an epoch's elements
  double error = 0;         ///< standard error of `bytes`; infinite if the variance of elements is not known
  bool seen_whole = false;  ///< the run saw whole epochs
};

namespace detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// What a run has read of the files, and how those not read may differ.
struct file_sample {
  double passes = 0;      ///< how many times it read all bytes; 0: nothing is read
  double share = 0;       ///< share of the bytes that were read at least once
  double variation = 0;   ///< coefficient of variation of a file's size
  double correction = 1;  ///< mean size of all files / of those seen; 1 where only those seen are known
  double files = 0;       ///< read
  bool whole = false;     ///< all files were read, a whole number of times
  bool bytes_known = false;
};
inline file_sample file_sample_of(const trace& t, const stored_files& stored) {
  double read = 0, seen = 0, sum = 0;
  for (const auto& [path, f] : t.files) {
    const auto size = static_cast<double>(f.size), bytes = static_cast<double>(f.bytes);
    read += bytes;
    seen += std::min(bytes, size);
    sum += size;
  }
  file_sample s{.files = static_cast<double>(t.files.size())};
  if (sum <= 0) return s;
  auto known = files_of_epoch_of(t);
  if (stored.files != 0 && static_cast<double>(stored.files) != known.files)
    known = {.files = static_cast<double>(stored.files)};
  if (stored.bytes > 0) known.bytes = stored.bytes;
  const double all = std::max(known.files, s.files), mean = sum / s.files;
  s.bytes_known = known.bytes > 0 || all == s.files;
  const double total = stored.bytes > 0  ? stored.bytes
                       : all == s.files  ? sum
                       : known.bytes > 0 ? known.bytes
                                         : mean * all;
  s.passes = read / total;
  s.share = std::min(1.0, seen / total);
  s.correction = total / all / mean;
  s.whole = all == s.files && std::fmod(s.passes, 1.0) == 0;
  double squares = 0;
  for (const auto& [path, f] : t.files) squares += std::pow(static_cast<double>(f.size) / mean - 1, 2);
  s.variation = s.files > 1 ? std::sqrt(squares / (s.files - 1)) : 1;  // one file says nothing of the others
  return s;
}

/// Returns the count per epoch of operator i, from those of its inputs.
inline materialised count_of(const trace& t, std::size_t i, const std::vector<materialised>& before,
                             const file_sample& files) {
  const auto& row = t.operators[i];
  const auto& did = t.counters[i];
  const auto made = static_cast<double>(did.completions);
  const auto bound = row.facts.count;
  const double most = bound.most == unbounded ? infinite : static_cast<double>(bound.most);
  materialised m;
  if (bound.endless) {
    m.count = infinite;
    return m;
  }
  // it may yield fewer than its bound (take), but yielded exactly that
  const bool filled = row.how != form::element && made > 0 && std::fmod(made, most) == 0;
  if (bound.exact() || filled) {
    m.count = most;
    m.seen_whole = filled || (made > 0 && std::fmod(made, most) == 0);
    return m;
  }
  bool whole = true;
  double count = 0, taken = 0;
  for (const auto from : row.inputs) {
    whole = whole && before[from - 1].seen_whole;
    count += before[from - 1].count;
    taken += static_cast<double>(t.counters[from - 1].completions);
    m.count_error = std::max(m.count_error, before[from - 1].count_error);
  }
  if (row.inputs.empty() || (row.how == form::nest && did.bytes_read > 0)) {
    // the count is known only by reading: in proportion to the bytes
    m.seen_whole = files.whole;
    m.count = files.passes > 0 ? made / files.passes : made / static_cast<double>(std::max<std::uint64_t>(t.epochs, 1));
    m.count_error = files.whole        ? 0
                    : files.passes > 0 ? files.variation * std::sqrt((1 - files.share) / files.files)
                                       : infinite;
  } else {
    m.seen_whole = whole;
    // an operator that yields more than it takes re-reads its input, which no ratio of completions shows
    const bool by_rule = row.takes > 0 && (row.takes < 1 || !whole);
    m.count = count * (by_rule ? 1 / row.takes : taken > 0 ? made / taken : 0);
    if (!by_rule && !whole && made != taken && made > 0) {
      // elements are independent: each passes or not (ratio below 1), or becomes several
      const double r = made / taken, open = std::max(0.0, 1 - taken / std::max(count, taken));
      m.count_error = std::hypot(m.count_error, std::sqrt((r < 1 ? 1 - r : 1) / (r < 1 ? made : taken) * open));
    }
  }
  m.count = std::clamp(m.count, std::min(static_cast<double>(bound.least), most), most);
  return m;
}

}  // namespace detail

/// Returns one entry per operator. O(operators + files). Throws std::invalid_argument if the trace is not a tree.
inline std::vector<materialised> sizes(const trace& t, const stored_files& stored = {}) {
  detail::checked_downstream(t);
  const auto files = detail::file_sample_of(t, stored);
  std::vector<materialised> all;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& did = t.counters[i];
    const auto made = static_cast<double>(did.completions);
    auto m = detail::count_of(t, i, all, files);
    if (made > 0) m.bytes_each = static_cast<double>(did.bytes) / made;
    double each_error = 0;
    const bool stores = files.files > 0 && (t.operators[i].facts.blocking || did.bytes_read > 0);
    const bool is_contents = stores && did.bytes_read > 0 && t.operators[i].how == form::element;
    if (!m.seen_whole && m.bytes_each > 0) {
      // variation of element sizes: as recorded or, for elements that come from files, that of the files
      const bool recorded = did.bytes_squared > 0 && made > 1, as_files = stores && !recorded;
      const double variation =
          recorded ? std::sqrt(std::max(0.0, did.bytes_squared / made / (m.bytes_each * m.bytes_each) - 1))
          : stores ? files.variation
                   : detail::infinite;
      // If the sizes of all files are known, scale by them (a ratio estimate), unless elements vary less than half as
      // much: then the plain mean is better whatever the correlation (Cochran, Sampling Techniques, 6.6).
      if (stores && m.count_error == 0 && variation >= 0.5 * files.variation) m.bytes_each *= files.correction;
      const double open = as_files ? 1 - files.share : 1 - made / std::max(m.count, made);
      if (open > 0 && !(is_contents && files.bytes_known))
        each_error = variation * std::sqrt(open / (as_files ? files.files : made));
    }
    m.bytes = m.bytes_each > 0 ? m.count * m.bytes_each : 0;
    m.error = m.bytes > 0 ? m.bytes * std::hypot(m.count_error, each_error) : 0;
    all.push_back(m);
  }
  return all;
}

}  // namespace plumbline
