#pragma once
/// run_live(p): a run whose limits follow what it records, without a pause: how many messages of each part are
/// processed at a time, on which threads, how many are in flight, and how many elements each has.
///   auto batches = pl::run_live(train, {.memory = 4e9});
///   for (auto& batch : batches) step(batch);   // the elements of run(train), in the same order
///   std::cout << pl::explain(batches);         // every change, and why
///   auto best = pl::optimize(train);           // with the form and the numbers of a plan, which may change later
///   auto tuned = pl::run_live(train, best);

#include <plumbline/core/exact_number.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/tuning.hpp>
#include <plumbline/tune/forms.hpp>
#include <plumbline/tune/live_run.hpp>
#include <plumbline/tune/stated_limits.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct live_options {
  run_options run{};  ///< what is stated here stays as it is
  /// Bytes for caches, elements in flight, and what operators state that they hold (shuffle's buffer). Not stated: half
  /// of what is available at the start, less if other programs take it.
  std::optional<double> memory{};
  double every = 0.5;       ///< seconds between looks; a tenth of it at first
  std::size_t batches = 0;  ///< looks also after so many elements of the stream; 0: by time only
  /// At an epoch's beginning, a run by a tuning may take another form, with other caches.
  bool forms = true;
  std::function<void(const live_change&)>
      on_change{};  ///< called with each change by the thread that takes elements; must not throw
};

/// A stream whose run is live.
template <class T> class live_stream : public stream<T> {
 public:
  live_stream(stream<T> s, std::shared_ptr<detail::live_record> record)
      : stream<T>(std::move(s)), record_(std::move(record)) {}
  /// What changed and why, what limits are in force, and the memory; explain(stream) shows it. From any thread.
  live_report why() const { return record_->report(); }
  /// Sets the budget, in bytes, from the next look on. What is in flight above it is used up, not dropped; caches that
  /// no longer fit go at the next epoch's beginning. From any thread. Throws std::invalid_argument unless bytes >= 0.
  void memory(double bytes) {
    if (!(bytes >= 0))
      throw std::invalid_argument("plumbline: stream.memory(bytes): bytes is " + detail::exact_number(bytes) +
                                  "; give 0 or more");
    record_->memory(bytes);
  }

 private:
  std::shared_ptr<detail::live_record> record_;
};

namespace detail {

/// Throws std::invalid_argument for invalid options.
live_setting live_setting_of(const live_options& how);

template <class T>
PLUMBLINE_SETUP live_stream<T> live_stream_of(std::unique_ptr<runtime> run, const live_options& how,
                                              std::vector<std::size_t> stated, std::optional<plan> begin = {},
                                              live_forms forms = {}) {
  auto record = std::make_shared<live_record>(how.memory);
  auto setting = live_setting_of(how);
  setting.stated = std::move(stated);
  auto& have = setting.budget.have;
  have.threads = static_cast<double>(run->limits().threads);
  have.cores = std::min(have.threads, have.all_cores);
  return {stream<T>(std::make_unique<live_run>(std::move(run), record, std::move(setting), std::move(begin),
                                               std::move(forms)),
                    how.run.first_epoch),
          record};
}

}  // namespace detail

/// Runs the pipeline as run does, and adjusts it while it runs. Compiles it once. Errors: those of run;
/// std::invalid_argument for invalid options, and without threads, as there is nothing to adjust.
template <pipeline P> PLUMBLINE_CALLS_SETUP auto run_live(P p, const live_options& how = {}) {
  static_cast<void>(detail::live_setting_of(how));
  auto env = detail::setting_of(p, how.run);
  env.adjustable = true;
  auto stated = env.stated;
  return detail::live_stream_of<typename P::element>(
      std::make_unique<detail::graph_runtime<tracing::counters, P>>(std::move(p), std::move(env)), how,
      std::move(stated));
}

/// Begins with a plan: in its form, with its numbers, which may change. Errors: the same, and std::invalid_argument for
/// the plan of another pipeline. (The type of `by` is deduced, as run_live(p, {.memory = 4e9}) could also be a plan.)
template <std::size_t Sites = detail::default_sites, pipeline P, std::same_as<plan> Plan>
PLUMBLINE_CALLS_SETUP auto run_live(const P& p, const Plan& by, const live_options& how = {}) {
  check(by, layout(p));
  static_cast<void>(detail::live_setting_of(how));
  return detail::live_stream_of<typename P::element>(detail::forms<Sites, P>::open_live(p, by, how.run), how,
                                                     detail::stated_parallelism(detail::names_of(p), how.run), by);
}

/// Begins with the result of optimize or pick_best for this pipeline. At an epoch's beginning it may go on in another
/// of the forms that optimize<Sites> compiles: if caches no longer fit the budget, if a budget that has grown makes the
/// planned rate a tenth higher, or, once and from a form without caches, if whole epochs showed that caches make it a
/// fifth faster. The new form's caches are filled in that epoch. A state saved in one form cannot be
/// loaded in another.
template <std::size_t Sites = detail::default_sites, pipeline P, std::same_as<tuning> Tuning>
PLUMBLINE_CALLS_SETUP auto run_live(const P& p, const Tuning& by, const live_options& how = {}) {
  const auto& best = by.made.best;
  check(best, layout(p));
  using forms = detail::forms<Sites, P>;
  detail::live_forms others;
  auto stated = detail::stated_parallelism(detail::names_of(p), how.run);
  others.seen = detail::with_stated_limits(by.seen, stated);
  // for the run, a limit on reading is a property of the storage
  if (how.run.read_bytes_per_second) others.seen.disk = by.seen.disk.at_most(*how.run.read_bytes_per_second);
  others.want.prefetch = static_cast<double>(how.run.prefetch.value_or(2));
  others.want.cache_sites = forms::sites();
  others.want.share_sites = forms::share_sites();
  if (how.forms) others.make = [p, stated = how.run](const plan& other) { return forms::open_live(p, other, stated); };
  static_cast<void>(detail::live_setting_of(how));
  return detail::live_stream_of<typename P::element>(forms::open_live(p, best, how.run), how, std::move(stated), best,
                                                     std::move(others));
}
template <std::size_t Sites = detail::default_sites, pipeline P, class Tuned>
  requires requires(const Tuned& t) {
    { t.why() } -> std::same_as<const tuning&>;
  }
PLUMBLINE_CALLS_SETUP auto run_live(const P& p, const Tuned& by, const live_options& how = {}) {
  return run_live<Sites>(p, by.why(), how);
}

namespace detail {
/// The compiler's message shows it.
template <class Trace> consteval void run_live_takes_no_tracing() {
  static_assert(sizeof(Trace) == 0,
                "plumbline: run_live<tracing::...>(p) counts as it needs and keeps no events; for a timeline, use "
                "run<tracing::timeline>(p), also with the plan of optimize");
}
}  // namespace detail
/// A live run counts as it needs, so it takes no level of tracing.
template <class Trace, class P>
  requires requires { Trace::events; }
auto run_live(P&& /*p*/, const live_options& /*how*/ = {}) { detail::run_live_takes_no_tracing<Trace>(); }
template <class Trace, class P, class By>
  requires requires { Trace::events; }
auto run_live(P&& /*p*/, const By& /*by*/, const live_options& /*how*/ = {}) {
  detail::run_live_takes_no_tracing<Trace>();
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/live_inl.hpp>
#endif
