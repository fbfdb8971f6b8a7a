#pragma once
/// Definitions of report/explain_tuning.hpp.

#include <plumbline/report/disk_chart.hpp>
#include <plumbline/report/explain_tuning.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace plumbline {

namespace detail {
/// A row for each operator, the first the header.
inline std::vector<std::vector<std::string>> operator_cells(const tuning& t) {
  const auto& made = t.made;
  const auto& plan = made.best;
  std::vector<std::vector<std::string>> cells{{"#", "operator", "a minibatch", "CPU each minibatch",
                                               "minibatches/s a core", "cores", "bytes", "in an epoch",
                                               "cache after it"}};
  for (std::size_t i = 0; i != t.seen.operators.size(); ++i) {
    const auto& r = t.seen.operators[i];
    const auto& o = made.rates.operators[i];
    const auto& s = made.sizes[i];
    const bool here = std::find(plan.caches.begin(), plan.caches.end(), r.number) != plan.caches.end();
    cells.push_back({std::to_string(r.number), r.name, number_text(o.visits, "%.3g"), time_text(o.cpu_seconds),
                     number_text(o.rate, "%.3g"), number_text(o.cores, "%.2f"), bytes_text(o.bytes),
                     std::isinf(s.count) ? "endless" : bytes_text(s.bytes),
                     (here ? "HERE: " : "") + made.places[i].reason});
  }
  return cells;
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
               : i == 1 ? "   next, were that relieved"
                        : "") +
              "\n";
  double handing = 0;
  for (const auto& p : made.rates.parts) handing += p.overhead_seconds;
  if (handing > 0 || made.rates.consumer_seconds > 0)
    e.text += "handing over, each minibatch: " + time_text(handing) + " of CPU among the threads, " +
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
  if (!t.alternatives.empty()) e.text += "\npipelines compared, minibatches a second\n";
  list(t.alternatives, t.taken);
  e.text += "\n" + std::to_string(plan.threads) + " threads, " + std::to_string(plan.prefetch) +
            " minibatches held ready, " + bytes_text(plan.memory) + " of memory; traced and planned in " +
            time_text(t.seconds) + "\n";
  return e;
}

}  // namespace plumbline
