#pragma once
/// predictions: predicted rates compared with observed ones.

#include <cmath>
#include <string>

#include "support/report.hpp"

class predictions {
 public:
  /// Records a case, of which `observed` is one of the series in `t`. Returns the error as text.
  std::string add(bench::report& report, const std::string& name, double predicted, const bench::turns& t,
                  const bench::series& observed) {
    const double error = predicted / observed.median() - 1;
    report.record(name, {{"predicted", predicted}, {"observed", observed.median()}});
    errors_.rounds.push_back(std::abs(error));
    disturbed_.disturbed = std::max(disturbed_.disturbed, t.disturbed);
    return "predicted " + bench::fixed(predicted, 2) + " (" + bench::fixed(100 * error, 1) + " % off)";
  }
  double median_percent() const { return 100 * errors_.median(); }
  double worst_percent() const { return 100 * errors_.high(); }
  const bench::turns* disturbed() const { return &disturbed_; }

 private:
  bench::series errors_{};
  bench::turns disturbed_{};
};
