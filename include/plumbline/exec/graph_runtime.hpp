#pragma once
/// graph_runtime: a run on a flow graph.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/stopwatch.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace plumbline::detail {

/// The base of graph_runtime that does not depend on the pipeline's type.
class graph_run : public runtime {
 public:
  PLUMBLINE_INLINE ~graph_run() override;
  PLUMBLINE_INLINE void begin(std::uint64_t epoch, const segment_mark& from) final;
  PLUMBLINE_INLINE payload* fetch(progress& come) final;
  PLUMBLINE_INLINE payload* fetch_now(progress& come, bool& pending) final;
  PLUMBLINE_INLINE void on_arrival(std::function<void()> f) final;
  PLUMBLINE_INLINE void halt() final;
  PLUMBLINE_INLINE void want_marks() final;
  PLUMBLINE_INLINE void shorten() final;
  PLUMBLINE_INLINE run_identity identity() const final;
  bool has_threads() const final { return true; }
  PLUMBLINE_INLINE void record(bool wanted) final;
  PLUMBLINE_INLINE void watch(taking& calls) final;
  PLUMBLINE_INLINE void attend(run_attendant& by) final;
  PLUMBLINE_INLINE live_limits limits() const final;
  PLUMBLINE_INLINE void adjust(const live_limits& to) final;
  PLUMBLINE_INLINE trace snapshot() const final;
  PLUMBLINE_INLINE bool timeline(plumbline::timeline& to) const final;
  PLUMBLINE_INLINE std::vector<built_part> parts() const final;
  PLUMBLINE_INLINE run_totals totals() const final;
  const pipeline_info& of() const final { return of_; }
  const engine* graph() const final { return &engine_; }
  PLUMBLINE_INLINE trace counted() const final;

 protected:
  graph_run(const pipeline_info& of, run_setting how, std::unique_ptr<run_watch> records);
  /// The size of the output channel. `has_stages`: true if the last segment has stages.
  buffering output_buffer(bool has_stages) const;
  /// Starts the graph, which is complete. `out`: its output channel.
  void start(channel* out);

  const pipeline_info& of_;
  run_setting how_;
  const std::unique_ptr<run_watch> records_;  ///< null: nothing is recorded
  engine engine_;                             ///< destroyed before the tracer, which its parts write to

 private:
  payload* take(progress& come, bool* pending = nullptr);
  message* wait();
  void finish();
  void give_back();

  channel* out_ = nullptr;
  message* held_ = nullptr;
  stopwatch waited_;
  run_attendant* attendant_ = nullptr;
  bool running_ = false;
};

/// The pipeline is destroyed last: what runs points into it.
template <class Trace, class P> class graph_runtime final : held_pipeline<P>, public graph_run {
 public:
  PLUMBLINE_SETUP graph_runtime(P p, run_setting setting)
      : held_pipeline<P>(std::move(p)), graph_run(*this, std::move(setting), records_of<Trace>(this->pipeline)) {
    keep_events<Trace>(records_.get(), how_);
    run_env<Trace> env{how_.options.seed, &engine_.stop_flag(), &how_, records_.get()};
    auto segment = lowering<P, running::on_threads, Trace>(this->pipeline, env).segment();
    const auto size = output_buffer(decltype(segment.kernels)::size != 0);
    start(close_segment<false>(std::move(segment), env, how_.in_order(), size));
  }
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/graph_runtime_inl.hpp>
#endif
