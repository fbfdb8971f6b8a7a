#pragma once
/// optimize(p): runs the pipeline for a moment, works out what limits it and what would be fastest on this machine, and
/// gives the stream of that form (Plumber: Kuchnik et al., MLSys 2022).
///   auto tuned = pl::optimize(train);        // trace -> rates -> program -> plan -> the form it names -> trace -> ...
///   std::cout << pl::explain(tuned);         // why
///   for (auto& batch : tuned) step(batch);   // the elements of run(train), in the same order
///
/// A cache is another type of pipeline, so the forms with a cache at one of the `Places` legal places nearest the root
/// are compiled beside the one as written, and, where streams fork, with caches on several branches.
///
/// Passes: the pipeline as written is traced and a plan is made. The planned form is traced as it goes on once its
/// caches are full, and the plan's numbers are made again from that: what its parts cost there, caches included.

#include <plumbline/model/tuning.hpp>
#include <plumbline/tune/forms.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/observe.hpp>
#include <plumbline/tune/run_plan.hpp>

#include <unistd.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

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

/// A stream like any other, that knows its plan. It can be traced, but is not until record(true).
template <class T> class tuned : public stream<T> {
 public:
  tuned(stream<T> s, tuning why) : stream<T>(std::move(s)), why_(std::move(why)) {}
  /// What is running, as plain data: it saves (ext/json.hpp) and runs again, run(p, plan).
  const plumbline::plan& plan() const { return why_.made.best; }
  /// What was seen and concluded; explain(tuned) shows it.
  const tuning& why() const { return why_; }

 private:
  tuning why_;
};

namespace detail {

template <std::size_t Places, class P> class optimizer {
  using forms = detail::forms<Places, P>;
  using element = typename P::element;

 public:
  optimizer(P p, optimize_options o) : pipeline_(std::move(p)), options_(std::move(o)) {
    const auto refuse = [](const std::string& what, const std::string& give) {
      throw std::invalid_argument("plumbline: optimize: " + what + "; give " + give);
    };
    if (!(options_.seconds >= 0) || std::isinf(options_.seconds))
      refuse("seconds is " + std::to_string(options_.seconds), "how long it may trace, 0 or more");
    if (options_.passes == 0) refuse("passes is 0", "1 to plan only, 2 to run what is planned");
    if (options_.memory && !(*options_.memory >= 0))
      refuse("memory is " + std::to_string(*options_.memory), "bytes, 0 or more");
    if (options_.run.threads == std::size_t{0})
      refuse("run.threads is 0, and without threads there is nothing to plan",
             "at least 1, or use run(p, {.threads = 0})");
    if (!options_.progress && isatty(STDERR_FILENO) != 0)
      options_.progress = [](const std::string& line) { std::fprintf(stderr, "plumbline: %s\n", line.c_str()); };
  }

  tuned<element> go() {
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    const double each = options_.passes > 1 ? options_.seconds / 2 : options_.seconds;
    trace_as_written(each);
    look_at_disk();
    plan_from(why_.seen);
    const double from = passed();
    why_.attempts.push_back(planned());
    for (std::size_t pass = 2; pass <= options_.passes; ++pass) {
      if (pass > 2) why_.attempts.push_back(planned());
      const double left = each - (passed() - from);  // half of it, where more may come
      const bool settled = run_planned(pass == options_.passes ? left : left / 2);
      if (settled || passed() - from > 0.9 * each) break;
    }
    options_.passes > 1 ? keep_the_fastest(each) : void(why_.kept = 1);
    why_.seconds = passed();
    auto best = open(why_.made.best);  // before why_ goes
    best.record(false);
    return tuned<element>(std::move(best), std::move(why_));
  }

 private:
  static constexpr double as_good = 0.97;  ///< of two rates as near as that, the one that was planned is kept

  stream<element> open(const plan& p) { return forms::open(pipeline_, p.caches, options_of(p, options_.run)); }
  void tell(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }
  resources have() const {
    resources r;
    r.cores = static_cast<double>(std::max<std::size_t>(options_.run.threads.value_or(options_.on.cores), 1));
    r.all_cores = static_cast<double>(options_.on.cores);
    if (options_.memory)
      r.memory = *options_.memory;
    else if (options_.on.memory > 0)
      r.memory = options_.on.memory / 2;
    if (options_.run.io_threads) r.io_threads = static_cast<double>(*options_.run.io_threads);
    r.disk = why_.seen.disk;
    // a limit on reading is part of the storage, as far as the run is concerned
    if (options_.run.read_bytes_per_second) r.disk = r.disk.at_most(*options_.run.read_bytes_per_second);
    return r;
  }

  void trace_as_written(double seconds) {
    tell("tracing the pipeline as written");
    auto s = forms::open(pipeline_, {}, options_.run);
    const auto seen = observe_steady(s, seconds, keeps_elements<P>, options_.run.first_epoch);
    s.stop();
    why_.seen = s.traced();
    why_.attempts.push_back({"as written", 0, seen.rate, seen.seconds, seen.count});
    tell("as written: " + number_text(seen.rate) + " a second");
  }
  void look_at_disk() {
    auto& disk = why_.seen.disk = options_.disk;
    if (disk.known() || !options_.measure_disk) return;
    tell("measuring the disk");
    std::vector<std::string> paths;
    for (const auto& [path, read] : why_.seen.files) paths.push_back(path);
    disk = plumbline::measure_disk(paths, *options_.measure_disk);
    tell("the disk: " + rate_text(disk.most()) + "; " + disk.how);
  }
  void plan_from(const trace& t) {
    why_.made = make_plan(
        t, have(),
        {.prefetch = goal_prefetch(), .cache_after = options_.caches ? forms::sites() : std::vector<std::uint32_t>{}},
        options_.files);
    tell("planned: " + number_text(why_.made.best.rate) + " a second; " + why_.made.best.bottleneck);
  }
  attempt planned() const {
    const auto& best = why_.made.best;
    attempt one{"planned", best.rate, 0, 0, 0};
    for (const auto after : best.caches)
      one.what += ", cache after " + std::to_string(after) + " (" + why_.seen.operators[after - 1].name + ")";
    return one;
  }
  /// Runs and traces the form, and plans again from that. Was what it gives known before, within 1 %?
  bool run_planned(double seconds) {
    auto& one = why_.attempts.back();
    auto& p = why_.made.best;
    tell("running the form as " + one.what);
    auto s = open(p);
    const auto seen = observe_steady(s, seconds, keeps_elements_by<P>(p), options_.run.first_epoch, look::when_steady);
    s.stop();
    auto traced = s.traced();
    one.observed = seen.rate;
    one.seconds = seen.seconds;
    one.count = seen.count;
    tell(one.what + ": " + number_text(seen.rate) + " a second");
    const double before = p.rate;
    why_.again = look_again(why_.made, std::move(traced), have(), {.prefetch = goal_prefetch()});
    if (why_.again) {
      one.after = p.rate;
      tell("planned again: " + number_text(p.rate) + " a second; " + p.bottleneck);
    }
    if (!best_ || one.observed >= as_good * why_.attempts[best_->attempt].observed)
      best_ = candidate{why_.attempts.size() - 1, p, why_.again};
    return !why_.again || std::abs(p.rate - before) < 0.01 * before;
  }
  bool plan_is_good() const {  // of few elements, it is only told whether it is far slower
    const auto &written = why_.attempts[0], &planned = why_.attempts[best_->attempt];
    return planned.observed >= (std::min(written.count, planned.count) > 20 ? as_good : 0.5) * written.observed;
  }
  /// The planned form seemed slower than the pipeline as written: if not by far, both run again in turns.
  void rematch(double seconds) {
    auto &written = why_.attempts[0], &planned = why_.attempts[best_->attempt];
    if (planned.observed < written.observed / 2) return;
    tell("the planned form seemed slower; both again, in turns, until it does not");
    for (int turn = 0; turn != 2 && !plan_is_good(); ++turn) {
      run_again(written, forms::open(pipeline_, {}, options_.run), seconds / 4, keeps_elements<P>,
                options_.run.first_epoch);
      run_again(planned, open(best_->best), seconds / 4, keeps_elements_by<P>(best_->best), options_.run.first_epoch);
    }
    tell("as written: " + number_text(written.observed) + " a second, planned: " + number_text(planned.observed));
  }
  /// The best plan, unless what was seen says that the pipeline as written was faster.
  void keep_the_fastest(double each) {
    if (!plan_is_good()) rematch(each / 2);
    auto& p = why_.made.best;
    if (plan_is_good()) {
      why_.kept = best_->attempt;
      p = std::move(best_->best);
      why_.again = std::move(best_->again);
      return;
    }
    why_.kept = 0;
    why_.again.reset();
    p.caches.clear();
    p.chunk = p.io_threads = 0;
    for (auto& part : p.parts) part.parallelism = std::max(part.parallelism, p.threads);
    p.rate = why_.attempts.front().observed;
    tell("kept as written");
  }
  double goal_prefetch() const { return static_cast<double>(options_.run.prefetch.value_or(2)); }

  struct candidate {
    std::size_t attempt;
    plumbline::plan best;
    std::optional<second_look> again;
  };
  P pipeline_;
  optimize_options options_;
  tuning why_;
  std::optional<candidate> best_{};
};

}  // namespace detail

/// The fastest form of p on this machine, begun anew: a stream of the same elements in the same order, draws included.
/// Takes about options.seconds of running it. Errors: those of run; std::invalid_argument where nothing can be planned
/// (no elements) or an option makes no sense; cache_too_big where a cache that p itself has does not fit; those of
/// measure_disk where that is asked for.
template <std::size_t Places = 3, pipeline P> auto optimize(P p, optimize_options options = {}) {
  constexpr bool copies = std::copy_constructible<P>, again = !detail::consumes_a_source<P>;
  static_assert(copies,
                "plumbline: optimize(p) runs p several times, and a function or source in p cannot be copied (a lambda "
                "that holds a unique_ptr?); hold it in shared_ptr");
  static_assert(
      again,
      "plumbline: optimize(p) runs p before you do, and its source can be walked only once: elements would be "
      "lost; use run(p), or put the elements into a container first");
  if constexpr (copies && again)
    return detail::optimizer<Places, P>(std::move(p), std::move(options)).go();
  else
    return detail::run_nothing();
}

}  // namespace plumbline
