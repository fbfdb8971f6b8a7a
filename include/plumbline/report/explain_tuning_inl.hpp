#pragma once
/// Definitions of report/explain_tuning.hpp.

#include <plumbline/report/disk_chart.hpp>
#include <plumbline/report/explain_tuning.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

namespace detail {
/// The share of its time that an operator waits, for storage or whatever its function waits for.
inline double waiting_share(const operator_rates& o) {
  const double all = o.cpu_seconds + o.blocked_seconds;
  return all > 0 ? o.blocked_seconds / all : 0;
}
inline std::string waits_text(const operator_rates& o) {
  return waiting_share(o) < 0.05 ? "-" : number_text(100 * waiting_share(o), "%.0f") + " %";
}
/// True if a cache of the plan keeps what the operator, or one downstream of it, yields: then it runs in one epoch
/// only.
inline bool runs_once(const tuning& t, std::uint32_t op) {
  const auto& caches = t.made.best.caches;
  if (!t.made.best.shares.empty()) return false;
  const auto by = downstream_of(t.seen.operators);
  for (std::size_t i = op - 1; i != by.size(); i = by[i])
    if (std::find(caches.begin(), caches.end(), i + 1) != caches.end()) return true;
  return false;
}
/// A line for each part that waits on compute threads in the pipeline as written.
inline std::string waiting_text(const tuning& t) {
  std::string text;
  const auto& made = t.made;
  for (std::size_t i = 0; i != made.rates.parts.size(); ++i) {
    const auto& p = made.rates.parts[i];
    if (!p.waits) continue;
    auto most = p.operators.front();
    for (const auto o : p.operators)
      if (made.rates.operators[o - 1].blocked_seconds > made.rates.operators[most - 1].blocked_seconds) most = o;
    text += t.seen.operators[most - 1].name + " (operator " + std::to_string(most) + ") waits " +
            number_text(100 * waiting_share(made.rates.operators[most - 1]), "%.0f") + " % of its time: " +
            (p.serial                    ? "it is serial; make its requests from a map"
             : made.best.parts[i].blocks ? "it runs on " + std::to_string(made.best.parts[i].parallelism) +
                                               " I/O threads; state that with map(blocking(f))"
                                         : "it is left on the compute threads, where it was as fast") +
            (runs_once(t, most) ? ", in the epoch that fills the cache\n" : "\n");
  }
  return text;
}

/// Which cache of the plan holds what share of the elements, nearest the end first.
inline std::string shares_text(const tuning& t) {
  const auto& made = t.made;
  if (made.best.shares.empty()) return {};
  std::string text;
  for (auto c = made.best.caches.size(); c-- != 0;) {
    const auto after = made.best.caches[c];
    const auto add = [&](const share& kept, double bytes, const char* where) {
      if (kept.size() > 0)
        text += "  after " + std::to_string(after) + " (" + t.seen.operators[after - 1].name + "): " + to_string(kept) +
                " of the elements " + where + ", " + bytes_text(bytes) + "\n";
    };
    add(made.best.shares[c], made.best.shares[c].size() * made.sizes[after - 1].bytes, "in memory");
    if (!made.best.on_disk.empty()) add(made.best.on_disk[c], made.best.disk_bytes[c], "on disk");
  }
  const auto& disk = made.for_caches;
  if (disk.bytes > 0)
    text += "  the disk for caches: " + bytes_text(disk.bytes) +
            (disk.curve.known() ? ", " + rate_text(disk.curve.most()) : std::string{}) +
            (disk.curve.how.empty() ? "" : "; " + disk.curve.how) + "\n";
  return "\ncaches\n" + text;
}

/// One row per operator, after a header row.
inline std::vector<std::vector<std::string>> operator_cells(const tuning& t) {
  const auto& made = t.made;
  const auto& plan = made.best;
  std::vector<std::vector<std::string>> cells{{"#", "operator", "elements per minibatch", "CPU per minibatch",
                                               "minibatches/s per core", "cores", "waits", "bytes", "in an epoch",
                                               "cache after it"}};
  for (std::size_t i = 0; i != t.seen.operators.size(); ++i) {
    const auto& r = t.seen.operators[i];
    const auto& o = made.rates.operators[i];
    const auto& s = made.sizes[i];
    const bool here = has_cache(plan, r.number);
    cells.push_back({std::to_string(r.number), r.name, number_text(o.visits, "%.3g"), time_text(o.cpu_seconds),
                     number_text(o.rate, "%.3g"), number_text(o.cores, "%.2f"), waits_text(o), bytes_text(o.bytes),
                     std::isinf(s.count) ? "endless" : bytes_text(s.bytes),
                     (here ? "HERE: " : "") + made.sites[i].reason});
  }
  return cells;
}
/// Why the plan's form is kept if it was observed to be slower: of so few minibatches, that may be chance.
inline std::string slower_text(const tuning& t) {
  if (t.attempts.empty()) return {};
  const auto& kept = t.attempts.at(t.kept);
  const auto& written = t.attempts.front();
  if (kept.count == 0 || kept.observed >= as_good * written.observed) return {};
  if (std::min(kept.count, written.count) > few_minibatches) return {};
  return "  the kept form seemed slower, but " + std::to_string(kept.count) + " minibatches of it and " +
         std::to_string(written.count) +
         " of the pipeline as written are too few to say; set `seconds` in optimize_options to run both for longer\n";
}
/// What more room for caches adds to the rate, a line each for memory and disk; none if it is not known. A GB may be
/// more than is left to keep; a shadow price holds at first.
inline std::vector<std::string> more_room_texts(const planning& made) {
  std::vector<std::string> lines;
  const auto add = [&](const char* where, std::optional<double> gain, double gain_per_byte) {
    if (!gain) return;
    const auto percent = [](double x) { return x < 0.1 ? number_text(100 * x, "%.2g") + " %" : percent_text(x); };
    auto& line = lines.emplace_back("one GB more for caches" + std::string(where) + " adds ");
    line += *gain >= 5e-4 ? percent(*gain) : "nothing";
    if (gain_per_byte > 0) line += "; at first, each MB adds " + percent(1e6 * gain_per_byte);
  };
  add("", made.gain_of_a_gigabyte, made.gain_per_byte);
  add(" on disk", made.gain_of_a_gigabyte_on_disk, made.gain_per_byte_on_disk);
  return lines;
}
}  // namespace detail

PLUMBLINE_INLINE explanation explain(const tuning& t) {
  using namespace detail;
  const auto& made = t.made;
  const auto& plan = made.best;
  explanation e{t.seen.operators, {}};
  e.text = table(operator_cells(t));
  e.text += "\nlimits, minibatches a second\n";
  for (std::size_t i = 0; i != std::min<std::size_t>(t.limits().size(), 4); ++i)
    e.text += "  " + number_text(t.limits()[i].rate, "%10.4g") + "  " + t.limits()[i].text +
              (i == 0   ? "   <- the bottleneck"
               : i == 1 ? "   next, once that is relieved"
                        : "") +
              "\n";
  for (const auto& line : more_room_texts(made)) e.text += "  " + line + "\n";
  if (made.share.feasible && !made.share.proven) e.text += "  the solver did not prove all its solutions\n";
  e.text += shares_text(t);
  e.text += waiting_text(t);
  double handing = 0;
  for (const auto& p : made.rates.parts) handing += p.overhead_seconds;
  if (handing > 0 || made.rates.consumer_seconds > 0)
    e.text += "passing messages, for each minibatch: " + time_text(handing) + " of CPU time in all threads, " +
              time_text(made.rates.consumer_seconds) + " in the consumer's next()\n";
  e.text += disk_text(made);
  const auto list = [&](const std::vector<attempt>& all, std::size_t best) {
    for (std::size_t i = 0; i != all.size(); ++i) {
      const auto& a = all[i];
      e.text += (a.count > 0 ? "  observed " + number_text(a.observed, "%10.4g") : "  not run            ") +
                (a.predicted > 0 ? ", predicted " + number_text(a.predicted) : std::string{}) +
                (a.after > 0 ? ", then " + number_text(a.after) : std::string{}) + "  " + a.what +
                (i == best ? "   <- kept" : "") + "\n";
    }
  };
  e.text += "\nforms tried, minibatches a second\n";
  list(t.attempts, t.kept);
  e.text += slower_text(t);
  if (!t.alternatives.empty()) e.text += "\npipelines compared, minibatches a second\n";
  list(t.alternatives, t.taken);
  e.text += "\n" + std::to_string(plan.threads) + " threads, " + std::to_string(plan.prefetch) +
            " minibatches prefetched, " + bytes_text(plan.memory) + " of memory; traced and planned in " +
            time_text(t.seconds) + "\n";
  return e;
}

}  // namespace plumbline
