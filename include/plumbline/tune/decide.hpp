#pragma once
/// decide: what optimize concludes from running a pipeline in several forms. `trials` runs them, so the same decision
/// can also be made from saved traces.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/tuning.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/observe.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

struct optimize_options {
  run_options run{};               ///< options stated here are never overridden, in the traced runs and after
  machine on = machine::here();    ///< the machine to plan for; another one for a what-if
  std::optional<double> memory{};  ///< bytes that a run may hold; default: half of what is available
  /// Approximate limit of the time for tracing, half of it for the pipeline as written. Up to a quarter more if the
  /// planned form seems slower, and an eighth each if its caches keep shares and it is not much faster than with whole
  /// ones, and if its operators cost so much more or less than as written that other caches would be better.
  double seconds = 2;
  /// Number of times that a form is traced and planned from. 1: only the pipeline as written, for a what-if of another
  /// machine. From 2 on, the planned form too; ends early when the estimate settles within 1 %.
  std::size_t passes = 2;
  bool caches = true;  ///< the plan may add caches
  /// These may keep a share of the elements where memory does not hold all; several on one path then divide them.
  bool shares = true;
  disk_curve disk{};  ///< of the storage; empty: only the number of concurrent reads is limited
  /// If no curve is given, measures it on the files that the trace saw, as the pipeline reads them, for `seconds` more.
  /// Off by default, as most pipelines are limited by cores, and those whose files are in the page cache gain nothing
  /// from a plan for storage.
  std::optional<disk_options> measure_disk{};
  stored_files files{};  ///< what is stored, if the sources do not list it
  std::function<void(const std::string&)>
      progress{};  ///< called with each line; not stated: standard error, if a terminal
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
  /// Runs a form for about `seconds`, traced. A planned form is traced once its caches are full.
  virtual run traced(const plan* how, double seconds) = 0;
  /// The same, but only measures the rate.
  virtual observed_rate again(const plan* how, double seconds) = 0;
  /// The operators after which a form with a cache was compiled.
  virtual std::vector<std::uint32_t> cache_sites() const = 0;
  /// Those of them after which a cache may keep a share of the elements.
  virtual std::vector<std::uint32_t> share_sites() const = 0;
  /// Those of these after which it may keep a share on disk, too.
  virtual std::vector<std::uint32_t> disk_sites() const { return {}; }
  /// The disk for that. `seen`: the trace of the pipeline as written.
  virtual cache_disk disk_for_caches(const trace&) { return {}; }
  /// Seconds since the beginning.
  virtual double passed() = 0;
};

/// Throws like optimize. (Shared, so that users' files do not compile how a tuning is moved and destroyed.)
std::shared_ptr<const tuning> decide(trials& runs, const optimize_options& options);

}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/decide_inl.hpp>
#endif
