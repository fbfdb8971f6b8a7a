#pragma once
/// tuning: what optimize did and why, as plain data: the traces it took, the plan and what was planned from, and what
/// each form that it tried gave.

#include <plumbline/model/replan.hpp>

namespace plumbline {

/// One form of the pipeline, or one of several pipelines, run for a while.
struct attempt {
  std::string what;         ///< in words: "as written", "cache after 4 (map)", "range | map"
  double predicted = 0;     ///< minibatches per second; 0: nothing was known before
  double observed = 0;      ///< the same; with a cache, when it gives; the best of its runs, if it ran again
  double seconds = 0;       ///< that it ran, in all
  std::uint64_t count = 0;  ///< minibatches seen
  double after = 0;         ///< minibatches per second, predicted again from this run's own trace; 0: it was not

  /// The best of its runs counts: what disturbs a run on a shared machine only slows it.
  void ran_again(double rate, double took, std::uint64_t minibatches) {
    observed = std::max(observed, rate);
    seconds += took;
    count += minibatches;
  }
};

struct tuning {
  trace seen;                     ///< of the pipeline as written
  planning made;                  ///< from it; what is to run, `made.best`, also from the second look
  std::vector<attempt> attempts;  ///< in their order; the first is the pipeline as written, with all cores everywhere
  std::size_t kept = 0;           ///< which of them
  double seconds = 0;             ///< in all
  std::optional<replanning> again{};  ///< of the planned form that is kept; nothing where none was run or kept

  std::vector<attempt> alternatives{};  ///< of pick_best: what each pipeline came to, in their order
  std::size_t taken = 0;                ///< which of them this is

  /// What limits the form that is kept, by the last trace of it.
  const std::vector<rate_limit>& limits() const { return again ? again->made.limits : made.limits; }
  /// Minibatches per second of the form that is kept: as observed, or as predicted if it was not run.
  double rate() const { return attempts[kept].count > 0 ? attempts[kept].observed : attempts[kept].predicted; }
};

}  // namespace plumbline
