#pragma once
/// markers: a run with tracing::markers<Sink> opens a range in a profiler around each message that a part works on,
/// with the names of the part's operators, and around each of the consumer's waits:
///   struct nvtx {                                                   // for NVIDIA Nsight Systems
///     static void begin(const char* name) { nvtxRangePushA(name); }  // on the thread that works
///     static void end() { nvtxRangePop(); }
///   };
///   auto batches = pl::run<pl::tracing::markers<nvtx>>(train);       // "decode | resize | flip", "wait for a batch"
/// Both are called twice for each message, never for each element. Names live as long as the stream. Ranges are nested;
/// neither function may throw. Without threads, one range holds all operators: the consumer's thread runs them.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/framing.hpp>
#include <plumbline/exec/producer.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/stage_base.hpp>
#include <plumbline/model/layout.hpp>

#include <concepts>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// What opens and closes a range on the calling thread.
template <class S>
concept marker_sink = requires(const char* name) {
  S::begin(name);
  S::end();
};

namespace tracing {
template <marker_sink Sink> struct markers {
  static constexpr bool on = false, samples = false, events = false, frames = true;
};
}  // namespace tracing

namespace detail {

template <class Sink> struct marked {
  explicit marked(const char* name) { Sink::begin(name); }
  marked(const marked&) = delete;
  ~marked() { Sink::end(); }
};

/// Marks the consumer's waits, and holds the names of the parts.
template <class Sink> class marker_watch final : public run_watch {
 public:
  explicit marker_watch(const std::vector<layout_row>& rows) {
    for (const auto& row : rows) operators_.push_back(row.name);
  }
  void entered() override { Sink::begin("wait for a batch"); }
  void left(std::size_t /*elements*/) override { Sink::end(); }

  /// "decode | resize"
  const char* name_of(const built_part& of) {
    std::string all;
    for (const auto o : of.operators) all += (all.empty() ? "" : " | ") + operators_[o - 1];
    return parts_.emplace_back(std::move(all)).c_str();
  }

 private:
  std::vector<std::string> operators_;
  std::deque<std::string> parts_;  // names that are in use do not move
};

template <class Sink> class marked_stage final : public stage_base {
 public:
  marked_stage(std::unique_ptr<stage_base> work, const char* name) : work_(std::move(work)), name_(name) {}
  bool tries(bool reads_wait) const override { return work_->tries(reads_wait); }
  bool process(message& m, bool may_wait) override {
    const marked<Sink> range(name_);
    return work_->process(m, may_wait);
  }

 private:
  std::unique_ptr<stage_base> work_;
  const char* name_;
};
template <class Sink> class marked_producer final : public producer_base {
 public:
  marked_producer(std::unique_ptr<producer_base> work, const char* name) : work_(std::move(work)), name_(name) {}
  message* acquire() override { return work_->acquire(); }
  bool fill(message& m) override {
    const marked<Sink> range(name_);
    return work_->fill(m);
  }

 private:
  std::unique_ptr<producer_base> work_;
  const char* name_;
};

template <class Sink> struct framing<tracing::markers<Sink>> {
  static constexpr bool frames = true, marks = true;
  template <std::uint32_t Id, class Op> using of = no_frame;

  template <class P> static std::unique_ptr<run_watch> records(const P& p) {
    return std::make_unique<marker_watch<Sink>>(layout(p));
  }
  static std::unique_ptr<stage_base> around(std::unique_ptr<stage_base> work, const built_part& part, run_watch* to) {
    return std::make_unique<marked_stage<Sink>>(std::move(work), name_of(part, to));
  }
  static std::unique_ptr<producer_base> around(std::unique_ptr<producer_base> work, const built_part& part,
                                               run_watch* to) {
    return std::make_unique<marked_producer<Sink>>(std::move(work), name_of(part, to));
  }
  /// A call for elements in a run without threads.
  template <class Work> static void in_the_call(const char* name, const Work& work) {
    const marked<Sink> range(name);
    work();
  }
  static const char* name_of(const built_part& part, run_watch* to) {
    return static_cast<marker_watch<Sink>*>(to)->name_of(part);
  }
};

}  // namespace detail
}  // namespace plumbline
