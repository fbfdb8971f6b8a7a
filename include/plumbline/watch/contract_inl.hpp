#pragma once
/// Definitions of watch/contract.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/watch/contract.hpp>

#include <cmath>

namespace plumbline::detail {

PLUMBLINE_INLINE void check(const requirement& of) {
  const auto complain = [](const std::string& what) { throw std::invalid_argument("plumbline: require: " + what); };
  if (!(of.at_least >= 0) || std::isinf(of.at_least))
    complain("at_least is " + exact_number(of.at_least) +
             "; give the rate that the pipeline must reach, in elements a second (batches, if it ends in batch), or 0 "
             "to require none");
  if (!(of.at_most_memory > 0))
    complain("at_most_memory is " + exact_number(of.at_most_memory) + "; give bytes, more than 0, or leave it out");
  if (!(of.within > 0 && of.within < 1))
    complain("within is " + exact_number(of.within) + "; give a share between 0 and 1");
  if (!(of.seconds >= 0.1 && of.seconds <= 3600))
    complain("seconds is " + exact_number(of.seconds) + "; give 0.1 to 3600");
  if (of.at_least == 0 && std::isinf(of.at_most_memory) && of.baseline.empty())
    complain("nothing is required; give at_least, at_most_memory or a baseline");
}
PLUMBLINE_INLINE void check(const rate_baseline& b, const std::string& path) {
  const auto need = [&](bool is, const std::string& what) {
    if (!is)
      throw std::invalid_argument("plumbline: require: " + path + ": " + what +
                                  "; write it anew: .write = true, or PLUMBLINE_WRITE_BASELINES=1 in the environment");
  };
  need(b.calibration_threads > 0, "calibration_threads is 0, so the calibration would not run");
  need(!b.ratios.empty(), "ratios is empty, so there is nothing to compare with");
  const auto at = [](const char* array, std::size_t i) { return array + ("[" + std::to_string(i) + "]"); };
  for (std::size_t i = 0; i != b.ratios.size(); ++i)
    need(std::isfinite(b.ratios[i]) && b.ratios[i] > 0,
         at("ratios", i) + " is " + exact_number(b.ratios[i]) + "; a ratio is finite and above 0");
  for (std::size_t i = 0; i != b.operators.size(); ++i)
    for (const double x : {b.operators[i].cpu, b.operators[i].wait_seconds})
      need(std::isfinite(x) && x >= 0,
           at("operators", i) + " costs " + exact_number(x) + "; a cost is finite and at least 0");
}
PLUMBLINE_INLINE void check_same(const rate_baseline& b, const std::vector<layout_row>& rows, std::size_t threads,
                                 const std::string& path) {
  const std::string how = ".write = true, or PLUMBLINE_WRITE_BASELINES=1 in the environment";
  const auto chain = [](const auto& all) {
    std::string text;
    for (const auto& o : all) text += (text.empty() ? "" : " | ") + o.name;
    return text;
  };
  const auto was = chain(b.operators), is = chain(rows);
  if (was != is)
    throw std::invalid_argument("plumbline: require: " + path + " is the baseline of " + was +
                                ", and this pipeline is " + is + "; write it anew: " + how);
  if (b.threads != threads)
    throw std::invalid_argument("plumbline: require: " + path + " was measured with " + std::to_string(b.threads) +
                                " threads, and this run has " + std::to_string(threads) +
                                "; state run.threads, or write it anew: " + how);
}

}  // namespace plumbline::detail
