#pragma once
/// Estimating the size of a cache from 5 % of the files: the model's estimate for the decoded photos, after a run over
/// a random 5 % that the shuffle's seed selects, compared with their true size.

#include <plumbline/model/sizes.hpp>
#include <plumbline/plumbline.hpp>

#include <cmath>
#include <string>

#include "support/report.hpp"

namespace sizes_bench {
namespace pl = plumbline;

inline constexpr std::size_t decoded = 3;  ///< the operator's index

/// The estimate after `n` elements on one thread, so that no more files are read; `n` = 0: after an epoch.
inline pl::materialised seen(const std::string& photos, std::uint64_t seed, std::uint64_t n) {
  const auto p = pl::files(photos, {.ignore_case = true}) | pl::shuffle(seed) | pl::read_file() | pl::map(pl::decode());
  auto s = pl::run<pl::tracing::counters>(p, {.threads = n == 0 ? 2U : 0U});
  for (std::uint64_t i = 0; (n == 0 || i != n) && s.next(); ++i) {
  }
  return pl::sizes(s.traced())[decoded];
}

inline void one(bench::report& report, const bench::options& o, const std::string& name, const std::string& photos) {
  const auto truth = seen(photos, 1, 0);
  const auto n = static_cast<std::uint64_t>(truth.count);
  const std::size_t some = std::max<std::size_t>(2, (n + 10) / 20), draws = o.rounds_or(301, 51);
  bench::series errors{};
  double held = 0;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const auto guess = seen(photos, seed, some);
    errors.rounds.push_back(100 * std::abs(guess.bytes / truth.bytes - 1));
    held += std::abs(guess.bytes - truth.bytes) <= 1.96 * guess.error ? 1 : 0;
  }
  report.table("decoded bytes of " + name + ", from " + std::to_string(some) + " of " + std::to_string(n) + " files",
               "% off", 2, {{"by the model", errors}});
  std::cout << "  " << pl::bytes_text(truth.bytes) << " in all, known exactly after an epoch; the model's 95 % error"
            << " bound held in " << bench::fixed(100 * held / static_cast<double>(draws), 0) << " % of the draws\n";
  report.at_most("error from 5 % of the files, " + name + ", median, %", errors.median(), 2, 2);
}

}  // namespace sizes_bench
