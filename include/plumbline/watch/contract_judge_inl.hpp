#pragma once
/// Definitions of watch/contract_judge.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/report/table.hpp>
#include <plumbline/watch/contract_judge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace plumbline::detail {

/// The operators whose cost grew noticeably, the largest loss first.
inline std::vector<slower_operator> slower_in(const contract_figures& seen, const rate_baseline& before) {
  std::vector<slower_operator> all;
  double whole = 0;
  for (const auto& o : before.operators) whole += o.cpu * seen.unit_seconds + o.wait_seconds;
  for (std::size_t i = 0; i != before.operators.size(); ++i) {
    const auto &was = before.operators[i], &is = seen.now.operators[i];
    const auto add = [&](bool waits, double now, double then, double least) {
      if (now < least * then || now - then < 0.05 * whole) return;
      const double factor = then > 0 ? now / then : std::numeric_limits<double>::infinity();
      all.push_back({static_cast<std::uint32_t>(i + 1), is.name, factor, waits, now, then});
    };
    add(false, is.cpu * seen.unit_seconds, was.cpu * seen.unit_seconds, 1.2);
    add(true, is.wait_seconds, was.wait_seconds, 1.5);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.seconds - a.baseline_seconds > b.seconds - b.baseline_seconds;
  });
  return all;
}
inline std::string account_of(const contract_figures& seen, const requirement_report& r, const rate_baseline* before) {
  std::string text;
  const auto each = "for each " + std::string(seen.words.one) + " that the pipeline yields";
  if (before != nullptr && r.slower.empty())
    text +=
        "no operator takes more processor time or waits longer than in the baseline: the time is lost between them, or "
        "the machine has become slower in a way that the calibration does not show\n";
  if (!r.slower.empty()) {
    text += "what became slower, " + each + ", at this machine's present speed\n";
    std::vector<std::vector<std::string>> rows{{"operator", "", "now", "in the baseline", "factor"}};
    for (const auto& o : r.slower)
      rows.push_back({o.name + " (" + std::to_string(o.number) + ")", o.waits ? "waits" : "processor time",
                      time_text(o.seconds), time_text(o.baseline_seconds), number_text(o.factor, "%.2f")});
    text += table(rows);
  }
  std::vector<std::vector<std::string>> rows{{"#", "operator", "processor time", "waits"}};
  for (std::size_t i = 0; i != seen.now.operators.size(); ++i) {
    const auto& o = seen.now.operators[i];
    rows.push_back({std::to_string(i + 1), o.name, time_text(o.cpu * seen.unit_seconds), time_text(o.wait_seconds)});
  }
  text += "costs now, " + each + "\n" + table(rows);
  if (seen.counted.slowest)
    text += "the slowest part has " + seen.counted.slowest->name + " (" + std::to_string(seen.counted.slowest->number) +
            "): at most " + number_text(seen.counted.slowest->rate) + " a second\n";
  return text;
}

PLUMBLINE_INLINE requirement_report judge(const contract_figures& seen, const requirement& of,
                                          const rate_baseline* before) {
  requirement_report r{.rate = median(seen.rates), .memory = seen.memory};
  const auto limit = [&](const std::vector<double>& values, double least, const std::string& what) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double x) { return x < least; });
    if (median(values) >= least) return;
    const bool certain = certainly_below(values, least);
    (certain ? r.met : r.unsure) = !certain;
    r.text += what + ": lower in " + std::to_string(below) + " of " + std::to_string(values.size()) + " rounds" +
              (certain ? "\n" : ", which may be chance\n");
  };
  r.text =
      number_text(r.rate).append(" ").append(seen.words.many) + " a second, " + bytes_text(r.memory) + " of memory\n";
  if (of.at_least > 0)
    limit(seen.rates, of.at_least, "at least " + number_text(of.at_least) + " a second are required");
  if (before != nullptr) {
    const double was = median(before->ratios);
    r.relative = median(seen.now.ratios) / was;
    r.text += percent_text(*r.relative) + " of the rate in " + of.baseline + ", after calibration\n";
    limit(seen.now.ratios, (1 - of.within) * was, "at least " + percent_text(1 - of.within) + " are required");
    r.slower = slower_in(seen, *before);
  }
  const bool slow = !r.met || r.unsure;
  if (seen.memory > of.at_most_memory) {
    r.met = false;
    r.text += "at most " + bytes_text(of.at_most_memory) + " of memory are allowed";
    const auto& c = seen.counted;
    if (c.caches && c.caches->bytes) r.text += "; caches hold " + bytes_text(*c.caches->bytes);
    r.text += '\n';
  }
  if (slow) r.text += account_of(seen, r, before);
  return r;
}

}  // namespace plumbline::detail
