#pragma once
/// live_run: a run whose limits follow what it records. The consumer's thread looks (decide_live) where it fetches
/// elements, also while it waits for them; so there is no thread to start, to lock against and to join.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/model/live.hpp>
#include <plumbline/model/live_form.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// What a live run and its stream share. Any thread may use it.
class live_record {
 public:
  explicit live_record(std::optional<double> bytes) : stated_(bytes.has_value()), memory_(bytes.value_or(0)) {}
  /// The budget that is stated; 0: none is.
  double memory() const { return memory_.load(std::memory_order_relaxed); }
  bool stated() const { return stated_.load(std::memory_order_acquire); }
  void memory(double bytes) {
    memory_.store(bytes, std::memory_order_relaxed);
    stated_.store(true, std::memory_order_release);
  }
  live_report report() const {
    const std::scoped_lock lock(mutex_);
    return report_;
  }
  template <class F> void update(F&& f) {
    const std::scoped_lock lock(mutex_);
    f(report_);
  }

 private:
  std::atomic<bool> stated_;
  std::atomic<double> memory_;
  mutable std::mutex mutex_;
  live_report report_{};
};

struct live_setting {
  double every = 0.5;         ///< seconds between looks
  std::uint64_t batches = 0;  ///< also after so many elements of the stream; 0: no
  live_budget budget{};
  bool threads_stated = false;
  std::vector<std::size_t> stated{};  ///< see with_stated_limits
  std::function<void(const live_change&)> on_change{};
};
/// How a run gets other forms.
struct live_forms {
  std::function<std::unique_ptr<runtime>(const plan&)> make{};  ///< null: it has no others
  trace seen{};                                                 ///< of the pipeline as written
  goal want{};
};

class live_run final : public runtime, public run_attendant {
 public:
  /// `run`: adjustable. `begin`: the limits to begin with; those of the run, if empty.
  live_run(std::unique_ptr<runtime> run, std::shared_ptr<live_record> record, live_setting how,
           std::optional<plan> begin = {}, live_forms forms = {});
  PLUMBLINE_INLINE ~live_run() override;

  PLUMBLINE_INLINE std::int64_t due() const override;
  PLUMBLINE_INLINE void look() override;

  PLUMBLINE_INLINE void begin(std::uint64_t epoch, const segment_mark& from) override;
  PLUMBLINE_INLINE payload* fetch(progress& come) override;
  PLUMBLINE_INLINE void halt() override;
  PLUMBLINE_INLINE void want_marks() override;
  PLUMBLINE_INLINE void shorten() override;
  PLUMBLINE_INLINE void renew() override;
  PLUMBLINE_INLINE live_limits limits() const override;
  PLUMBLINE_INLINE bool mark(segment_mark& at) override;
  PLUMBLINE_INLINE run_identity identity() const override;
  PLUMBLINE_INLINE bool has_threads() const override;
  /// No effect: it records as it needs.
  PLUMBLINE_INLINE void record(bool wanted) override;
  PLUMBLINE_INLINE void watch(taking& calls) override;
  PLUMBLINE_INLINE trace snapshot() const override;
  PLUMBLINE_INLINE bool timeline(plumbline::timeline& to) const override;
  PLUMBLINE_INLINE std::vector<built_part> parts() const override;
  PLUMBLINE_INLINE std::unique_lock<std::mutex> stays() const override;
  PLUMBLINE_INLINE run_totals totals() const override;
  PLUMBLINE_INLINE const pipeline_info& of() const override;
  PLUMBLINE_INLINE const engine* graph() const override;
  PLUMBLINE_INLINE trace counted() const override;

 private:
  void use(std::optional<plan> begin);
  void window_begins();
  double held();
  std::optional<form_change> learn(resources have);
  double memory() const;
  void publish(const std::vector<live_change>& changes);
  double now() const;  // seconds since the run began

  std::unique_ptr<runtime> run_;
  const std::shared_ptr<live_record> record_;
  const live_setting how_;
  live_forms forms_;
  std::optional<plan> plan_;  ///< of the form that runs; its limits are in state_
  live_state state_{};
  trace before_{}, now_{};  ///< the counters at the last look, and now
  const std::int64_t begun_;
  std::int64_t due_ = 0, period_ = 0;  // ns
  std::uint64_t taken_ = 0, due_at_ = 0;
  std::size_t quiet_ = 0;             ///< looks without a change
  bool resting_ = false;              ///< nothing is recorded
  bool ended_ = true, whole_ = true;  ///< the epoch; and all before it, in this form
  bool learned_ = false;              ///< what the run showed has changed its form
  double first_memory_ = 0, held_most_ = 0;
  taking* calls_ = nullptr;
  bool marks_ = false, shortens_ = false;
  run_totals earlier_{};      ///< of the forms before
  mutable std::mutex mutex_;  ///< for what other threads may call while the form changes
  bool stopped_ = false;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/live_run_inl.hpp>
#endif
