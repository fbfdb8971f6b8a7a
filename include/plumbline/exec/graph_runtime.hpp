#pragma once
/// graph_runtime: a run on a flow graph.

#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/stream.hpp>
#include <plumbline/exec/tell.hpp>

namespace plumbline::detail {

template <class Trace, class P> class graph_runtime final : public runtime<typename P::element> {
 public:
  using element = typename P::element;
  graph_runtime(P p, run_setting how)
      : pipeline_(std::move(p)),
        records_(pipeline_),
        env_{std::move(how), records_.get()},
        engine_(env_.threads, env_.io_threads, env_.options) {
    env_.graph = &engine_;
    env_.stop = &engine_.stop_flag();
    auto line = lowering<P, running::on_threads, Trace>(pipeline_, env_).line();
    buffering size{};
    if (env_.options.prefetch) {
      size = buffering::of_elements(*env_.options.prefetch);
      if constexpr (!std::same_as<decltype(line.kernels), std::tuple<>>) size.messages += env_.threads;
    } else if constexpr (std::same_as<decltype(line.kernels), std::tuple<>>) {
      size.messages = 2;
    }
    out_ = close_line<false>(std::move(line), env_, env_.options.order == output_order::kept, size);
    engine_.start();
  }
  ~graph_runtime() override {
    halt();
    engine_.shut_down();
  }
  void begin(std::uint64_t epoch, const line_mark& from) override {
    give_back();
    records_.with([](tracer& t) { t.begun(); });
    out_->begin(epoch, from);
    running_ = true;
  }
  bool fetch(chunk<element>*& out, progress& come) override {
    records_.with([](tracer& t) { t.entered(); });
    const bool there = take(out, come);
    records_.with([&](tracer& t) { t.left(there ? out->size() : 0); });
    return there;
  }
  void halt() override {
    engine_.stop();
    out_->close();
  }
  void want_marks() override { engine_.want_marks(); }
  run_identity identity() const override {
    return {fingerprint(pipeline_), env_.seed, 1, env_.options.order == output_order::kept};
  }
  void record(bool wanted) override {
    records_.with([&](tracer& t) { t.record(wanted); });
  }
  void watch(taking& calls) override {
    records_.with([&](tracer& t) { t.watch(calls); });
  }
  trace snapshot() const override { return records_.snapshot(env_.threads); }
  std::vector<built_part> parts() const override { return engine_.parts(); }

 private:
  bool take(chunk<element>*& out, progress& come) {
    for (;;) {
      bool last = false;
      if (held_ != nullptr) {
        last = held_->last;
        const auto error = held_->error;
        give_back();
        if (error) {
          finish();
          tell(pipeline_, error);
        }
      }
      if (last) finish();
      if (!running_) return false;
      held_ = records_.waiting([&] { return out_->take_waiting(); });
      if (held_ == nullptr) return false;
      if (out_->marks(*held_)) come = {{held_->first, held_->parts}, 0};
      if constexpr (Trace::samples) records_.get()->sample();
      out = static_cast<chunk<element>*>(held_->load);
      if (out != nullptr && out->size() != 0) return true;
    }
  }
  void finish() {
    running_ = false;
    records_.with([](tracer& t) { t.ended(); });
  }
  void give_back() {
    if (held_ != nullptr) out_->release(std::exchange(held_, nullptr));
  }
  P pipeline_;
  run_records<Trace> records_;
  run_env<Trace> env_;
  engine engine_;
  port* out_ = nullptr;
  message* held_ = nullptr;
  bool running_ = false;
};

}  // namespace plumbline::detail
