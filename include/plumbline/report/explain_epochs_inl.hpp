#pragma once
/// Definitions of report/explain_epochs.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/report/explain_epochs.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <cstddef>

namespace plumbline {

PLUMBLINE_INLINE epochs_explanation explain(std::vector<epoch_stalls> epochs) {
  using namespace detail;
  epochs_explanation out{std::move(epochs), "no epoch has begun\n"};
  if (out.epochs.empty()) return out;
  const auto whole = std::find_if(out.epochs.rbegin(), out.epochs.rend(), [](const auto& e) { return e.whole; });
  const auto& last = whole != out.epochs.rend() ? *whole : out.epochs.back();
  out.text = percent_text(last.io()) + " of " +
             (last.whole ? "the last epoch" : "the time so far in epoch " + std::to_string(last.epoch)) +
             " waited for I/O, " + percent_text(last.prep()) + " for preparation\n\n";
  constexpr std::size_t most = 10;
  std::vector<std::vector<std::string>> rows{
      {"epoch", "elements", "seconds", "elements a second", "step", "waited for preparation", "waited for I/O"}};
  for (std::size_t i = out.epochs.size() - std::min(out.epochs.size(), most); i != out.epochs.size(); ++i) {
    const auto& e = out.epochs[i];
    rows.push_back({std::to_string(e.epoch) + (e.whole ? "" : ", part"), std::to_string(e.elements),
                    number_text(e.seconds, "%.3g"), number_text(e.rate(), "%.4g"), percent_text(e.step()),
                    percent_text(e.prep()), percent_text(e.io())});
  }
  out.text += table(rows);
  return out;
}

}  // namespace plumbline
