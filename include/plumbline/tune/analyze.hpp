#pragma once
/// analyze(p, step): how much of training waits for data, and what other hardware would change (model/stalls.hpp). The
/// parts are measured apart: the step on a batch already in memory, the preparation with its files in memory, the
/// reading of those files from memory, and the storage. The preparation, by itself and beside the step, is measured
/// with files read on compute threads, on I/O threads, and, where they are read whole, copied from memory as a cache
/// does. Rates are those within an epoch: its beginning, where buffers fill, does not count, as epochs of training are
/// long. Of epochs that end soon after it, whole ones count. The step is called many times, on real batches, so a
/// training step trains its model: give it a copy of the model. G is measured on one batch, again and again; if the
/// step moves from it, on a copy each time, whose making does not count.
///   const auto stalls = pl::analyze(train, [&](const pl::tensor<float>& batch) { model.step(batch); });
///   std::cout << pl::explain(stalls);                                  // where the time goes
///   pl::predict(stalls, {.memory = 64e9, .storage = 2}).rate;          // batches a second with other hardware
///   pl::least_memory(stalls);                                          // bytes of cache with which fetching hardly
///   stalls

#include <plumbline/data/file_memory.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/stalls.hpp>
#include <plumbline/tune/analyze_options.hpp>
#include <plumbline/tune/consumes_a_source.hpp>
#include <plumbline/tune/measured_rate.hpp>
#include <plumbline/tune/observe.hpp>
#include <plumbline/tune/stated_limits.hpp>
#include <plumbline/tune/training.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

/// A step of this rate, in batches a second, that takes no processor: an accelerator's.
struct steps_per_second {
  double rate = 0;
};

namespace detail {

/// The rate with files somewhere else than where `a` was observed, which is `a` if they do not differ by more than
/// their errors.
double other_rate(const measured_rate& a, const measured_rate& b);
/// Replaces rates that fall from one to the next by less than their errors (a tenth, if unknown) by their mean. Where
/// more files in memory seem to make training slower, it is mostly that.
void level_falls(std::vector<measured_rate>& rates);
/// The step moves from a batch that cannot be copied.
[[noreturn]] void refuse_to_copy();
/// `step_rate`: as stated; nothing: the step is measured.
stall_analysis measure_stalls(const open_training& open, std::optional<double> step_rate, const analyze_options& how);

template <class P, class Step> class training_stream final : public training {
  using batch = typename P::element;
  static constexpr bool steps = std::invocable<Step&, batch&>;

 public:
  training_stream(const P& p, const run_options& how, file_memory* files, Step& step)
      : s_(opened(p, how, files)),
        watched_(s_, persists_in<P>),
        step_(step),
        stated_(stated_parallelism(names_of(p), how)) {}
  watched& stream() override { return watched_; }
  trace traced() override { return with_stated_limits(s_.traced(), stated_); }
  bool train() override {
    auto next = s_.next();
    if constexpr (steps)
      if (next) std::invoke(step_, *next);
    return next.has_value();
  }
  void keep_first(std::uint64_t epoch) override {
    s_.restart(epoch);
    first_ = s_.next();
    s_.stop();
    if constexpr (steps && std::copy_constructible<batch>) whole_ = first_;
    if (first_) bytes_ = nbytes(*first_);
  }
  void step() override {
    if constexpr (steps) std::invoke(step_, *first_);
  }
  bool batch_taken() const override { return first_ && nbytes(*first_) < bytes_; }
  void renew() override {
    if constexpr (std::copy_constructible<batch>) {
      first_.reset();
      first_.emplace(*whole_);
      bytes_ = nbytes(*first_);  // a copy has no room to grow
    } else {
      refuse_to_copy();
    }
  }

 private:
  static plumbline::stream<batch> opened(const P& p, const run_options& how, file_memory* files) {
    auto setting = setting_of(p, how);
    setting.files = files;
    return run_with<tracing::counters>(P(p), std::move(setting));
  }
  plumbline::stream<batch> s_;
  watched_stream<batch> watched_;
  Step& step_;
  std::vector<std::size_t> stated_;
  std::optional<batch> first_{}, whole_{};  ///< the step's, and a copy of it
  std::size_t bytes_ = 0;                   ///< of the batch as the step gets it
};

/// The compiler's message shows the template arguments of this function.
template <class Step, class Batch, bool ok> consteval void analyze_calls() {
  static_assert(ok,
                "plumbline: analyze(p, step) cannot call step with a batch, see Step and Batch in this message; give a "
                "function that takes Batch& (not Batch&&), or steps_per_second{rate}");
}
template <class Step>
concept rate_of_steps = std::same_as<std::remove_cvref_t<Step>, steps_per_second>;

}  // namespace detail

/// Measures for about options.seconds, longer where batches are slow (see there), and the storage after it. Give the
/// pipeline without its caches; with them the rates mean something else (stall_analysis::caches). Errors:
/// those of run; std::invalid_argument for a pipeline without elements or invalid options.
template <pipeline P, class Step>
PLUMBLINE_CALLS_SETUP stall_analysis analyze(const P& p, Step&& step, analyze_options options = {}) {
  using batch = typename P::element;
  constexpr bool ok = detail::rate_of_steps<Step> || std::invocable<Step&, batch&>;
  constexpr bool again = !detail::consumes_a_source<P>;
  detail::analyze_calls<Step, batch, ok>();
  static_assert(
      again,
      "plumbline: analyze(p, step) runs p several times, and its source can be walked only once; use a source "
      "that can be read again, such as files or elements");
  if constexpr (ok && again) {
    using stream_of = detail::training_stream<P, std::remove_reference_t<Step>>;
    static_cast<void>(detail::setting_of(p, options.run));  // refuses invalid options
    std::optional<double> rate;
    if constexpr (detail::rate_of_steps<Step>) rate = step.rate;
    return detail::measure_stalls(
        [&](const run_options& how, detail::file_memory* files) {
          return std::make_unique<stream_of>(p, how, files, step);
        },
        rate, options);
  } else {
    return {};
  }
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/analyze_inl.hpp>
#endif
