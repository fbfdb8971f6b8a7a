#pragma once
/// decide: what optimize concludes from running a pipeline in several forms. Running them is the business of `trials`,
/// so the same decision can be made from traces that were saved.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/tuning.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/observe.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

struct optimize_options {
  run_options run{};               ///< what is stated here is obeyed, in the traced runs and after
  machine on = machine::here();    ///< to plan for; give another for a what-if
  std::optional<double> memory{};  ///< bytes for caches and what is in flight; not stated: half of the machine's
  /// Of tracing, at most about: half for the pipeline as written. A quarter more where the planned form seems slower.
  double seconds = 2;
  /// How often something is traced and planned from. 1: the pipeline as written, and no form is run, for a what-if of
  /// another machine. From 2 on, the planned form too; ends early when the estimate settles within 1 %.
  std::size_t passes = 2;
  bool caches = true;  ///< may the plan add one?
  disk_curve disk{};   ///< of the storage; empty: no limit but the reads at a time
  /// Where no curve is given, measure it from the files that the trace saw, for `seconds` more. Off, as most pipelines
  /// are limited by cores, and whose files the page cache holds gains nothing from a plan for storage.
  std::optional<disk_options> measure_disk{};
  stored_files files{};  ///< what is stored, where that is known
  std::function<void(const std::string&)>
      progress{};  ///< called with a line; not stated: standard error, at a terminal
};

namespace detail {

/// Runs the forms of one pipeline. `how`: the plan that names the form; null for the pipeline as written.
class trials {
 public:
  virtual ~trials() = default;
  struct run {
    observed_rate how_fast;
    trace seen;
  };
  /// For about so many seconds, traced. A planned form is traced once its caches are full.
  virtual run traced(const plan* how, double seconds) = 0;
  /// The same, only for how fast it is.
  virtual observed_rate again(const plan* how, double seconds) = 0;
  /// After which operators a form with a cache was compiled.
  virtual std::vector<std::uint32_t> cache_sites() const = 0;
  /// Seconds since the beginning.
  virtual double passed() = 0;
};

/// Throws as optimize does.
tuning decide(trials& runs, optimize_options options);

}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/decide_inl.hpp>
#endif
