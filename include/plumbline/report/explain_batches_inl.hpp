#pragma once
/// Definitions of report/explain_batches.hpp.

#include <plumbline/core/printable_text.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/report/explain_batches.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <vector>

namespace plumbline {

namespace detail {

using table_rows = std::vector<std::vector<std::string>>;

/// Preparation, wait, delay and step as rows of table_rows, the first the header.
PLUMBLINE_INLINE table_rows batch_rows(const batch_report& of) {
  table_rows rows{{"seconds of a batch", "mean", "deviation", "least", "25 %", "median", "75 %", "most"}};
  for (const auto& a : of.preparation.above) rows.front().push_back("above " + time_text(a.limit));
  const auto row = [&](const char* name, const distribution& d) {
    if (d.count == 0) return;
    rows.push_back({name});
    for (const double x : {d.mean, d.deviation, d.least, d.q25, d.median, d.q75, d.most})
      rows.back().push_back(time_text(x));
    for (const auto& a : d.above) rows.back().push_back(number_text(100 * a.share, "%.1f") + " %");
  };
  row("preparation", of.preparation);
  row("wait of the consumer", of.wait);
  row("delay until it was used", of.delay);
  row("step of the consumer", of.step);
  row("out of order, kept", of.kept);
  return rows;
}
/// A share of the variance; "-" if it is not known how it divides.
inline std::string variance_text(const batch_report& of, double share) {
  const bool divided =
      std::any_of(of.operators.begin(), of.operators.end(), [](const auto& o) { return o.explains != 0; });
  return divided ? percent_text(share) : "-";
}
PLUMBLINE_INLINE table_rows operator_rows(const batch_report& of) {
  table_rows rows{{"operator", "elements timed", "mean", "median", "90 %", "most", "total", "of the variance"}};
  for (const auto& o : of.operators)
    rows.push_back({o.name, std::to_string(o.seconds.count), time_text(o.seconds.mean), time_text(o.seconds.median),
                    time_text(o.seconds.q90), time_text(o.seconds.most), time_text(o.total_seconds),
                    variance_text(of, o.explains)});
  return rows;
}
inline std::string batch_name(const batch_report& of, std::uint64_t epoch, std::uint64_t index) {
  return std::to_string(index) + (of.epochs > 1 ? " of epoch " + std::to_string(epoch) : "");
}
inline std::string element_name(const slow_element& e) {
  return e.name.empty() ? "(not known)" : printable_text(e.name);
}
PLUMBLINE_INLINE table_rows slowest_rows(const batch_report& of) {
  table_rows rows{{"longest", "operator", "element", "in batch", "times", "mean", "of the variance"}};
  for (const auto& e : of.slowest)
    rows.push_back({time_text(e.seconds), e.operation, element_name(e), batch_name(of, e.epoch, e.batch),
                    std::to_string(e.times), time_text(e.mean), variance_text(of, e.explains)});
  return rows;
}
/// `most`: elements named for each batch.
PLUMBLINE_INLINE table_rows worst_rows(const batch_report& of, std::size_t most) {
  table_rows rows{{"batch", "worker", "preparation", "wait", "delay", "its slowest elements"}};
  if (of.operators.empty()) rows.front().pop_back();  // a CSV of batches has none
  for (const auto& b : of.worst) {
    std::string slow;
    for (std::size_t i = 0; i != std::min(most, b.elements.size()); ++i)
      slow += (i == 0 ? "" : ", ") + element_name(b.elements[i]) + " " + time_text(b.elements[i].seconds) + " in " +
              b.elements[i].operation;
    rows.push_back(
        {batch_name(of, b.epoch, b.index), b.worker, time_text(b.preparation), time_text(b.wait), time_text(b.delay)});
    if (!of.operators.empty()) rows.back().push_back(slow.empty() ? "none was timed" : slow);
  }
  return rows;
}
/// Which part of the run a report covers whose events were overwritten.
PLUMBLINE_INLINE std::string dropped_sentence(const batch_report& of) {
  std::string covers = "no batch";
  if (of.epochs == 1 && of.batches != 0) {
    const auto range = of.batches == 1
                           ? "batch " + std::to_string(of.first.index)
                           : "batches " + std::to_string(of.first.index) + " to " + std::to_string(of.last.index);
    const bool all = of.batches == of.last.index - of.first.index + 1;
    covers = all ? range : std::to_string(of.batches) + " of the " + range;
  } else if (of.batches != 0) {
    covers = std::to_string(of.batches) + " batches, from " + batch_name(of, of.first.epoch, of.first.index) + " to " +
             batch_name(of, of.last.epoch, of.last.index);
  }
  return std::to_string(of.dropped) + (of.dropped == 1 ? " event was" : " events were") +
         " overwritten: the report covers " + covers +
         (of.begun_lost == 0
              ? ""
              : "; of " + std::to_string(of.begun_lost) + (of.begun_lost == 1 ? " batch" : " batches") +
                    " preparation may have begun before what was kept, so no figure of preparation has " +
                    (of.begun_lost == 1 ? "it" : "them")) +
         "; raise timeline_bytes or set timeline_file, with timeline_bytes of some MiB";
}
/// Sentences on what is covered, on the order of arrivals and on what makes batches differ.
PLUMBLINE_INLINE std::vector<std::string> batch_sentences(const batch_report& of) {
  std::vector<std::string> out;
  if (of.dropped != 0) out.push_back(dropped_sentence(of));
  if (of.cut_off != 0)
    out.push_back("the preparation or the wait of " + std::to_string(of.cut_off) +
                  (of.cut_off == 1 ? " batch precedes the log, so it is" : " batches precedes the log, so they are") +
                  " left out");
  if (of.batches == 0) return out;
  out.push_back(std::to_string(of.batches) + (of.batches == 1 ? " batch of " : " batches of ") +
                std::to_string(of.epochs) + (of.epochs == 1 ? " epoch" : " epochs") +
                (of.workers == 0
                     ? ""
                     : ", finished by " + std::to_string(of.workers) + (of.workers == 1 ? " worker" : " workers")) +
                ", in " + time_text(of.seconds));
  out.push_back(of.out_of_order == 0 ? "no batch arrived before its turn"
                                     : std::to_string(of.out_of_order) + " of " + std::to_string(of.batches) +
                                           " batches arrived before their turn and lay there for " +
                                           time_text(of.kept.mean) + " on average, at most " + time_text(of.kept.most));
  out.push_back("the consumer waited for " + time_text(of.wait.total()) + ": " + time_text(of.waited_for_order) +
                " while a later batch was there, but not this one, " + time_text(of.waited_for_arrival) +
                " while the batch was ready, but had not arrived");
  if (of.preparation.mean > 0)
    out.push_back("preparation differs by " + percent_text(of.preparation.deviation / of.preparation.mean) +
                  " of its mean between batches (deviation)" +
                  (of.operators.empty() ? ""
                   : of.preparation.count < of.least_for_variance
                       ? "; " + std::to_string(of.preparation.count) +
                             (of.preparation.count == 1 ? " batch is" : " batches are") + " too few to say why, " +
                             std::to_string(of.least_for_variance) + " are enough"
                       : "; the operators' times explain " + percent_text(of.explained) +
                             " of this variance, each batch's slowest element alone " +
                             percent_text(of.explained_by_slowest)));
  if (of.timed_share > 0 && of.timed_share < 0.995)
    out.push_back(
        percent_text(of.timed_share) +
        " of the elements were timed; slow ones among the others (1 ms or more) are listed, but some may be "
        "missing where elements take less than 20 us on average. Operators' figures are of all elements: each "
        "timed one stands for some of the others");
  return out;
}

}  // namespace detail

PLUMBLINE_INLINE batches_explanation explain(const batch_report& of) {
  using namespace detail;
  std::string text = of.verdict + "\n\n";
  for (const auto& s : batch_sentences(of)) text += s + "\n";
  if (of.batches == 0) return {std::move(text)};
  text += "\n" + table(batch_rows(of));
  if (!of.operators.empty()) text += "\n" + table(operator_rows(of)) + "\nslowest elements\n" + table(slowest_rows(of));
  if (!of.worst.empty()) text += "\nbatches that took longest to prepare\n" + table(worst_rows(of, 2));
  return {std::move(text)};
}

}  // namespace plumbline
