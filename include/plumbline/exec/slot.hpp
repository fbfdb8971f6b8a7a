#pragma once
/// Slots: the streams that a nesting operator has open at once; a producer for each runs it ahead. The operator opens a
/// pipeline in a slot, the slot's segment runs it, and the operator takes from the segment's channel.

#include <plumbline/exec/channel_cursor.hpp>
#include <plumbline/exec/nested_cursor.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace plumbline::detail {

/// What a nesting operator passes to one of its slots: the next inner pipeline to run.
template <class Pipeline> struct slot_job {
  std::mutex mutex;
  std::optional<std::pair<std::shared_ptr<const Pipeline>, lineage>> next;
  std::uint64_t ticket = 0;  ///< the number of the last pipeline opened
};

/// The producer's side of a slot.
template <class Pipeline, class Make> class slot_producer_cursor {
 public:
  using element = typename Pipeline::element;
  static constexpr cursor_traits traits = nested_cursor<Pipeline, Make>::traits;

  slot_producer_cursor(std::shared_ptr<slot_job<Pipeline>> job, Make make)
      : job_(std::move(job)), inner_(std::move(make)) {}
  void begin(std::uint64_t ticket) {
    decltype(job_->next) next;
    {
      const std::scoped_lock lock(job_->mutex);
      // a late begin, after another stream was opened, must leave that stream to its own begin
      if (job_->ticket == ticket) next = std::exchange(job_->next, std::nullopt);
    }
    open_ = next.has_value();
    if (open_) inner_.open(std::move(next->first), next->second);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    return open_ ? inner_.pump(sink, budget) : pump_result::ended;
  }
  void leave() { inner_.leave(); }
  template <class Io> void state(Io& io) {
    io(open_);
    if (open_) io(inner_);
  }

 private:
  std::shared_ptr<slot_job<Pipeline>> job_;
  nested_cursor<Pipeline, Make> inner_;
  bool open_ = false;
};

/// The operator's side of a slot.
template <class Pipeline> class slot_cursor {
 public:
  using element = typename Pipeline::element;
  static constexpr cursor_traits traits{};
  slot_cursor(std::shared_ptr<slot_job<Pipeline>> job, channel* p) : job_(std::move(job)), in_(p) {}
  void open(Pipeline p, const lineage& outer) {
    open_.emplace(std::make_shared<const Pipeline>(std::move(p)), outer);
    go_on({});
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) { return in_.pump(sink, budget); }
  void leave() {
    in_.leave();
    open_.reset();
  }
  /// Called only while a stream is open.
  template <class Io> void state(Io& io) {
    auto so_far = in_.come();
    if constexpr (Io::loads) open_.emplace();
    io(open_->first, open_->second, so_far);
    if constexpr (Io::loads) go_on(std::move(so_far));
  }

 private:
  void go_on(progress from) {
    std::uint64_t ticket = 0;
    {
      const std::scoped_lock lock(job_->mutex);
      job_->next = open_;
      ticket = ++job_->ticket;
    }
    in_.go_on(ticket, std::move(from));
  }
  std::shared_ptr<slot_job<Pipeline>> job_;
  decltype(slot_job<Pipeline>::next) open_{};
  channel_cursor<element> in_;
};

}  // namespace plumbline::detail
