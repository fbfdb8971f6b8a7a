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
    const bool loose = env_.options.order == output_order::unordered;
    auto line = lower<true, false>(pipeline_, env_, locus{0, 0, loose});
    buffering size{};
    if (env_.options.prefetch) {
      size = buffering::of_elements(*env_.options.prefetch);
      if constexpr (!std::same_as<decltype(line.kernels), std::tuple<>>) size.messages += env_.threads;
    } else if constexpr (std::same_as<decltype(line.kernels), std::tuple<>>) {
      size.messages = 2;
    }
    out_ = close_line<false>(std::move(line), env_, !loose, size);
    engine_.start();
  }
  ~graph_runtime() override {
    halt();
    engine_.shut_down();
  }
  void begin(std::uint64_t epoch) override {
    give_back();
    records_.begun();
    out_->begin(epoch);
    running_ = true;
  }
  bool fetch(chunk<element>*& out) override {
    records_.entered();
    const bool there = take(out);
    records_.left(there ? out->size() : 0);
    return there;
  }
  void halt() override {
    engine_.stop();
    out_->close();
  }
  void record(bool wanted) override { records_.record(wanted); }
  void watch(taking& calls) override { records_.watch(calls); }
  trace snapshot() const override { return records_.snapshot(env_.threads); }

 private:
  bool take(chunk<element>*& out) {
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
      records_.given();
      out = static_cast<chunk<element>*>(held_->load);
      if (out != nullptr && out->size() != 0) return true;
    }
  }
  void finish() {
    running_ = false;
    records_.ended();
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
