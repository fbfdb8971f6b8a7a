#pragma once
/// analyze(p, step): how much of training waits for data, and what other hardware would change (model/stalls.hpp). The
/// parts are measured apart: the step on a batch that is there, the preparation with its files in memory, the reading
/// of those files from memory, and the storage. The preparation is measured with files read on compute threads, and
/// again on I/O threads; what a cache saves is the time of reading the files less that of copying them.
///   const auto stalls = pl::analyze(train, [&](const pl::tensor<float>& batch) { model.step(batch); });
///   std::cout << pl::explain(stalls);                                  // where the time goes
///   pl::predict(stalls, {.memory = 64e9, .storage = 2}).rate;          // batches a second with other hardware
///   pl::least_memory(stalls);                                          // bytes of cache with which nothing waits for
///   files

#include <plumbline/exec/run.hpp>
#include <plumbline/model/stalls.hpp>
#include <plumbline/tune/measure_disk.hpp>
#include <plumbline/tune/observe.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// A step of this rate, in batches a second, that takes no processor: an accelerator's.
struct steps_per_second {
  double rate = 0;
};

struct analyze_options {
  /// As in the training run. A limit on reading is taken as the storage's bandwidth.
  run_options run{};
  double seconds = 3;  ///< for all measurements, without that of the storage
  disk_curve disk{};   ///< of the storage, if known; else it is measured, for `measure.seconds`
  disk_options measure{};
  stored_files files{};  ///< what is stored, if known
};

namespace detail {

struct measured_rate {
  double rate = 0, error = 0;  ///< relative
};
struct measured_step : measured_rate {
  double cpu_seconds = 0;
  double together = 0;               ///< the rate of training with the files in memory
  double together_from_storage = 0;  ///< the same with reads on I/O threads; 0: not measured
};
/// Calls step() for about `seconds`, at least three times, after once unmeasured.
measured_step measure_step(const std::function<void()>& step, double seconds);
/// The rate of the calls of train() that return true, for about `seconds`, at least three, after a third of it.
double measure_training(const std::function<bool()>& train, double seconds);
/// Bytes a second that `threads` threads read of these files, from memory as far as they are there.
measured_rate measure_reads(const std::vector<std::string>& paths, std::size_t threads, double seconds);
/// The same, copied from memory of the process.
measured_rate measure_copies(const std::vector<std::string>& paths, std::size_t threads, double seconds);
/// Observes the stream with its files in memory, and records the last part. Returns its rate.
measured_rate observe_in_memory(watched& s, double seconds);
/// The rate where reads are on I/O threads, of two that were observed; 0: they do not differ by more than their errors.
double from_storage(const measured_rate& on_compute_threads, const measured_rate& on_io_threads);
/// The analysis, from what was measured of the preparation and the step.
stall_analysis stalls_from(const trace& t, const measured_rate& prep, const measured_step& step,
                           const analyze_options& how);

/// The compiler's message shows the template arguments of this function.
template <class Step, class Batch, bool ok> consteval void analyze_calls() {
  static_assert(ok,
                "plumbline: analyze(p, step) cannot call step with a batch, see Step and Batch in this message; give a "
                "function of a batch, or steps_per_second{rate}");
}
template <class Step>
concept rate_of_steps = std::same_as<std::remove_cvref_t<Step>, steps_per_second>;

}  // namespace detail

/// Measures for about options.seconds, and the storage after it. Errors: those of run; std::invalid_argument for a
/// pipeline without elements or invalid options.
template <pipeline P, class Step>
PLUMBLINE_CALLS_SETUP stall_analysis analyze(const P& p, Step&& step, analyze_options options = {}) {
  using batch = typename P::element;
  constexpr bool ok = detail::rate_of_steps<Step> || std::invocable<Step&, batch&>;
  detail::analyze_calls<Step, batch, ok>();
  if constexpr (ok) {
    auto in_memory = options.run;
    in_memory.read_bytes_per_second.reset();
    in_memory.read_burst_bytes.reset();
    auto s = run<tracing::counters>(p, in_memory);
    detail::watched_stream<batch> watched(s);
    const auto first = s.epoch();
    const auto prep = detail::observe_in_memory(watched, 0.5 * options.seconds);
    const auto seen = s.traced();
    double from_storage = 0;
    std::optional<stream<batch>> on_io_threads;
    if (!seen.files.empty() && options.run.threads.value_or(1) != 0) {
      s.record(false);
      auto how = in_memory;
      how.read_bytes_per_second = 1e18;
      on_io_threads.emplace(run<tracing::counters>(p, how));
      detail::watched_stream<batch> reads(*on_io_threads);
      from_storage = detail::from_storage(prep, detail::observe_in_memory(reads, 0.15 * options.seconds));
      on_io_threads->record(false);
    }
    detail::measured_step taken;
    if constexpr (detail::rate_of_steps<Step>) {
      taken.rate = step.rate;
    } else {
      s.record(false);
      const auto train_on = [&](stream<batch>& from) {
        from.restart(first);  // the elements that were seen: caches hold them
        return detail::measure_training(
            [&] {
              auto next = from.next();
              if (!next) from.restart(first);
              if (next) std::invoke(step, *next);
              return next.has_value();
            },
            0.1 * options.seconds);
      };
      const double together = train_on(s);
      s.restart(first);
      auto one = s.next();
      s.stop();
      const double together_from_storage = on_io_threads ? train_on(*on_io_threads) : 0;
      on_io_threads.reset();
      taken = detail::measure_step([&] { std::invoke(step, *one); }, 0.15 * options.seconds);
      taken.together = together;
      taken.together_from_storage = together_from_storage;
    }
    auto found = detail::stalls_from(seen, prep, taken, options);
    found.prep_from_storage = from_storage;
    return found;
  } else {
    return {};
  }
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/analyze_inl.hpp>
#endif
