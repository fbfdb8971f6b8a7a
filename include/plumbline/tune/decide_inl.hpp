#pragma once
/// Definitions of tune/decide.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/form_costs.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/plan_caches.hpp>
#include <plumbline/tune/decide.hpp>
#include <plumbline/tune/storage_of.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace plumbline::detail {

class decision {
 public:
  decision(trials& runs, optimize_options o) : runs_(runs), options_(std::move(o)) {
    const auto refuse = [](const std::string& what, const std::string& give) {
      throw std::invalid_argument("plumbline: optimize: " + what + "; give " + give);
    };
    if (!(options_.seconds >= 0) || std::isinf(options_.seconds))
      refuse("seconds is " + exact_number(options_.seconds), "how long it may trace, 0 or more");
    if (options_.passes == 0) refuse("passes is 0", "1 to plan only, 2 to run what is planned");
    if (options_.memory && !(*options_.memory >= 0))
      refuse("memory is " + exact_number(*options_.memory), "bytes, 0 or more");
    if (options_.measure_disk) check_disk_options(*options_.measure_disk);
    if (options_.run.threads == std::size_t{0})
      refuse("run.threads is 0, and without threads there is nothing to plan",
             "at least 1, or use run(p, {.threads = 0})");
    if (!options_.progress && isatty(STDERR_FILENO) != 0)
      options_.progress = [](const std::string& line) { std::fprintf(stderr, "plumbline: %s\n", line.c_str()); };
  }

  tuning make() {
    const double each = options_.passes > 1 ? options_.seconds / 2 : options_.seconds;
    trace_as_written(each);
    measure_disk();
    if (may_keep_on_disk()) for_caches_ = runs_.disk_for_caches(why_.seen);
    plan_from(why_.seen);
    const double from = runs_.passed();
    why_.attempts.push_back(planned());
    for (std::size_t pass = 2; pass <= options_.passes; ++pass) {
      if (pass > 2) why_.attempts.push_back(planned());
      const double left = each - (runs_.passed() - from);  // half of it, if more passes may follow
      const bool settled = run_planned(pass == options_.passes ? left : left / 2);
      if (settled || runs_.passed() - from > 0.9 * each) break;
    }
    if (best_ && best_->again) try_with_costs_of_form(each / 4);
    if (best_ && !best_->best.shares.empty()) try_without_shares(each / 4);
    options_.passes > 1 ? keep_the_fastest(each) : void(why_.kept = 1);
    why_.seconds = runs_.passed();
    return std::move(why_);
  }

 private:
  struct candidate {
    std::size_t attempt;
    plumbline::plan best;
    std::optional<replanning> again;
  };

  double observed(const candidate& of) const { return why_.attempts[of.attempt].observed; }
  void report(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }
  resources have() const {
    resources r;
    r.cores = r.all_cores = static_cast<double>(options_.on.cores);
    if (const auto threads = options_.run.threads) {
      r.threads = static_cast<double>(*threads);
      r.cores = std::min(r.cores, r.threads);
    }
    if (options_.memory)
      r.memory = *options_.memory;
    else if (options_.on.memory > 0)
      r.memory = options_.on.memory / 2;
    if (options_.run.io_threads) r.io_threads = r.io_stated = static_cast<double>(*options_.run.io_threads);
    r.disk = why_.seen.disk;
    r.for_caches = for_caches_;
    // for the run, a limit on reading is a property of the storage
    if (const auto limit = options_.run.read_bytes_per_second) {
      if (!(r.disk.most() < *limit)) r.read_burst = read_burst(options_.run);
      r.disk = r.disk.at_most(*limit);
    }
    return r;
  }

  void trace_as_written(double seconds) {
    report("tracing the pipeline as written");
    auto ran = runs_.traced(nullptr, seconds);
    why_.seen = std::move(ran.seen);
    why_.attempts.push_back({"as written", 0, ran.how_fast.rate, ran.how_fast.seconds, ran.how_fast.count});
    report("as written: " + number_text(ran.how_fast.rate) + " a second");
  }
  bool may_keep_on_disk() const { return options_.caches && options_.shares && !runs_.disk_sites().empty(); }
  void measure_disk() {
    auto& disk = why_.seen.disk = options_.disk;
    if (disk.known() || !options_.measure_disk) return;
    report("measuring the disk");
    disk = storage_of(why_.seen, *options_.measure_disk, may_keep_on_disk());
    report("the disk: " + rate_text(disk.most()) + "; " + disk.how);
  }
  planning plan_of(const trace& t, bool shares) const {
    return make_plan(t, have(),
                     {.prefetch = goal_prefetch(),
                      .cache_sites = options_.caches ? runs_.cache_sites() : std::vector<std::uint32_t>{},
                      .share_sites = options_.caches && shares ? runs_.share_sites() : std::vector<std::uint32_t>{},
                      .disk_sites = for_caches_.bytes > 0 && shares ? runs_.disk_sites() : std::vector<std::uint32_t>{},
                      .gains = true},
                     options_.files);
  }
  void plan_from(const trace& t) {
    why_.made = plan_of(t, options_.shares);
    report("planned: " + number_text(why_.made.best.rate) + " a second; " + why_.made.best.bottleneck);
  }
  attempt planned() const {
    const auto caches = caches_text(why_.made.best, why_.seen.operators);
    return {.what = "planned" + (caches.empty() ? "" : ", " + caches), .predicted = why_.made.best.rate};
  }
  /// Runs and traces the form, and plans again from that. Returns true if the prediction changed by less than 1 %.
  bool run_planned(double seconds) {
    auto& one = why_.attempts.back();
    auto& p = why_.made.best;
    report("running the form as " + one.what);
    auto ran = runs_.traced(&p, seconds);
    one.ran_again(ran.how_fast.rate, ran.how_fast.seconds, ran.how_fast.count);
    report(one.what + ": " + number_text(one.observed) + " a second");
    const double before = p.rate;
    why_.again = replan(why_.made, std::move(ran.seen), have(), {.prefetch = goal_prefetch()});
    if (why_.again) {
      one.after = p.rate;
      report("planned again: " + number_text(p.rate) + " a second; " + p.bottleneck);
    }
    if (!best_ || one.observed >= as_good * observed(*best_))
      best_ = candidate{why_.attempts.size() - 1, p, why_.again};
    return !why_.again || std::abs(p.rate - before) < 0.01 * before;
  }
  /// Caches that keep all or nothing, if those with shares were less than a quarter faster than predicted for these.
  void try_without_shares(double seconds) {
    auto whole = plan_of(why_.seen, false);
    // threads that pause for storage, as in the pipeline as written, cost more than those that do not
    constexpr double may_be_faster_by = 1.25;
    if (!whole.best.caches.empty() && observed(*best_) < may_be_faster_by * whole.best.rate)
      try_other(std::move(whole), seconds);
  }
  /// Caches that would be a tenth better if operators cost as much as they did in the planned form.
  void try_with_costs_of_form(double seconds) {
    if (!options_.caches || runs_.cache_sites().empty()) return;
    auto seen = with_costs_of(best_->again->seen, why_.seen);
    if (!seen) return;
    auto other = plan_of(*seen, options_.shares);
    if (same_caches(other.best, best_->best) || other.best.rate < 1.1 * observed(*best_)) return;
    report("operators cost other amounts than before; planned again from these");
    if (try_other(std::move(other), seconds)) why_.seen = *std::move(seen);
  }
  /// Runs another plan, and keeps the faster one of it and the best so far. Returns true if that is the other one.
  bool try_other(planning other, double seconds) {
    const auto before = *best_;
    std::swap(why_.made, other);
    why_.attempts.push_back(planned());
    run_planned(seconds);
    const candidate now{why_.attempts.size() - 1, why_.made.best, why_.again};
    trace_again_if_close(before, now, seconds / 2);
    const bool faster = observed(now) >= observed(before);
    best_ = faster ? now : before;
    if (!faster) why_.made = std::move(other);
    return faster;
  }
  /// Two short runs of one plan may differ by a tenth. So if two plans differ by less than 15 %, each is traced once
  /// more, again with full caches, and the faster run of each counts.
  void trace_again_if_close(const candidate& a, const candidate& b, double seconds) {
    constexpr double close_rates = 0.85;
    const double one = observed(a), other = observed(b);
    if (std::min(one, other) < close_rates * std::max(one, other)) return;
    report("the two are close; running both once more");
    for (const auto* each : {&a, &b}) {
      const auto seen = runs_.traced(&each->best, seconds).how_fast;
      why_.attempts[each->attempt].ran_again(seen.rate, seen.seconds, seen.count);
    }
  }
  bool plan_is_good() const {
    const auto &written = why_.attempts[0], &planned = why_.attempts[best_->attempt];
    const bool few = std::min(written.count, planned.count) <= few_minibatches;
    return planned.observed >= (few ? 0.5 : as_good) * written.observed;
  }
  /// Runs both forms again, alternately, as the planned one seemed slower; unless it was less than half as fast.
  void rematch(double seconds) {
    auto &written = why_.attempts[0], &planned = why_.attempts[best_->attempt];
    if (planned.observed < written.observed / 2) return;
    report("the planned form seemed slower; running both again, alternately, until it does not");
    for (int turn = 0; turn != 2 && !plan_is_good(); ++turn) {
      run_again(written, nullptr, seconds / 4);
      run_again(planned, &best_->best, seconds / 4);
    }
    report("as written: " + number_text(written.observed) + " a second, planned: " + number_text(planned.observed));
  }
  void run_again(attempt& form, const plan* how, double seconds) {
    const auto seen = runs_.again(how, seconds);
    form.ran_again(seen.rate, seen.seconds, seen.count);
  }
  /// Keeps the best plan, unless the pipeline as written was observed to be faster.
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
    p.shares.clear();
    p.on_disk.clear();
    p.disk_bytes.clear();
    why_.made.gain_of_a_gigabyte.reset();
    why_.made.gain_of_a_gigabyte_on_disk.reset();
    p.chunk = p.io_threads = 0;
    for (auto& part : p.parts) {
      part.parallelism = std::max(part.parallelism, p.threads);
      part.blocks = part.blocks && !std::exchange(part.waits, false);
    }
    p.rate = why_.attempts.front().observed;
    p.memory = held_by_caches(why_.seen, why_.made.sizes, infinite) +
               in_flight(why_.made.demand, static_cast<double>(p.threads),
                         std::max(static_cast<double>(io_threads_in_run(p)), have().io_stated),
                         static_cast<double>(p.prefetch));
    report("kept as written");
  }
  double goal_prefetch() const { return static_cast<double>(options_.run.prefetch.value_or(2)); }

  trials& runs_;
  optimize_options options_;
  cache_disk for_caches_{};
  tuning why_;
  std::optional<candidate> best_{};
};

PLUMBLINE_INLINE std::shared_ptr<const tuning> decide(trials& runs, const optimize_options& options) {
  return std::make_shared<const tuning>(decision(runs, options).make());
}

}  // namespace plumbline::detail
