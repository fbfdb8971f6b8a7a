#pragma once
/// tuning: what optimize did and why, as plain data: the traces it took, the plan and what it was made from, and the
/// rate of each form that it tried.

#include <plumbline/model/replan.hpp>

namespace plumbline {

namespace detail {
inline constexpr double as_good = 0.97;               ///< of two rates this close, that of the plan is kept
inline constexpr std::uint64_t few_minibatches = 20;  ///< of rates from so few, only a large difference counts
}  // namespace detail

/// One form of the pipeline, or one of several pipelines, run for a while.
struct attempt {
  std::string what;         ///< description: "as written", "cache after 4 (map)", "range | map"
  double predicted = 0;     ///< minibatches per second; 0: no prediction was made
  double observed = 0;      ///< the same; with caches, once they are full; the best run, if it ran again
  double seconds = 0;       ///< total running time
  std::uint64_t count = 0;  ///< minibatches seen
  double after = 0;         ///< minibatches per second, predicted from this run's own trace; 0: it was not

  /// Adds another run. The best one counts, as disturbances on a shared machine only slow a run down.
  void ran_again(double rate, double took, std::uint64_t minibatches) {
    observed = std::max(observed, rate);
    seconds += took;
    count += minibatches;
  }
};

struct tuning {
  trace seen;                         ///< of the pipeline as written
  planning made;                      ///< the plan from it; `made.best`, which is to run, is also corrected by `again`
  std::vector<attempt> attempts;      ///< in order; the first is the pipeline as written, with all cores for every part
  std::size_t kept = 0;               ///< index of the one that is kept
  double seconds = 0;                 ///< total time
  std::optional<replanning> again{};  ///< of the planned form that is kept; empty if none was run or kept

  std::vector<attempt> alternatives{};  ///< from pick_best: the result of each pipeline, in order
  std::size_t taken = 0;                ///< index of this one among them

  /// The limits of the form that is kept, from the last trace of it.
  const std::vector<rate_limit>& limits() const { return again ? again->made.limits : made.limits; }
  /// Minibatches per second of the form that is kept: as observed, or as predicted if it was not run.
  double rate() const { return attempts[kept].count > 0 ? attempts[kept].observed : attempts[kept].predicted; }
};

}  // namespace plumbline
