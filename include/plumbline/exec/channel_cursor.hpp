#pragma once
/// channel_cursor: the consuming end of a channel, as a cursor. Its elements arrive in chunks, from another segment.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/exec/channel.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/part_timer.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

namespace plumbline::detail {

/// `WantsEnd`: of the segment that it reads from.
template <class T, bool WantsEnd = false> class channel_cursor {
 public:
  using element = T;
  static constexpr cursor_traits traits{.prompt = true, .wants_end = WantsEnd};

  explicit channel_cursor(channel* p) : channel_(p) {}
  channel_cursor(channel_cursor&& o) noexcept
      : channel_(o.channel_),
        held_(std::exchange(o.held_, nullptr)),
        next_(o.next_),
        epoch_(o.epoch_),
        passed_(std::move(o.passed_)),
        unwanted_(o.unwanted_) {}
  channel_cursor& operator=(channel_cursor&&) = delete;
  ~channel_cursor() = default;  // the channel owns its messages

  void begin(std::uint64_t epoch) { go_on(epoch, {}); }
  /// Begins the channel's segment at `from`, the progress that a saved state recorded.
  void go_on(std::uint64_t epoch, progress from) {
    drop();
    epoch_ = epoch;
    unwanted_ = from.since;
    passed_ = {from.from, 0};
    channel_->begin(epoch, std::move(from.from));
  }
  progress come() const { return {passed_.from, passed_.since + (held_ == nullptr ? 0 : next_) + unwanted_}; }
  template <class Io> void state(Io& io) {
    auto so_far = come();
    io(epoch_, so_far);
    if constexpr (Io::loads) go_on(epoch_, std::move(so_far));
  }

  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    bool some = false;  // has given elements to the sink
    while (budget != 0) {
      if (held_ == nullptr) {
        held_ = channel_->take();
        if (held_ == nullptr) return pump_result::pending;
        if (channel_->marks(*held_)) passed_ = {{held_->first, held_->parts}, 0};
        next_ = static_cast<std::size_t>(std::min<std::uint64_t>(unwanted_, size()));
        unwanted_ -= next_;
        if (held_->since != 0) part_timer::taken(held_->since, channel_->number, held_->sequence, &next_);
      }
      auto* c = static_cast<chunk<T>*>(held_->load);
      const std::size_t stop = std::min(size(), next_ + budget);
      budget -= stop - next_;
      some = some || stop != next_;
      const std::size_t from = std::exchange(next_, stop);
      if constexpr (requires { sink.block(std::span<T>{}); }) {
        if (from != stop) sink.block(c->values.part(from, stop));
      } else if (from != stop && c->at.empty()) {
        constexpr lineage none{};
        for (std::size_t i = from; i != stop; ++i) sink(std::move(c->values[i]), none);
      } else {
        for (std::size_t i = from; i != stop; ++i) sink(std::move(c->values[i]), c->at[i]);
      }
      if (next_ == size()) {
        const bool last = held_->last;
        const auto error = held_->error;
        if (error && some) return pump_result::more;  // throw in the next call: what was given may suffice
        drop();
        if (error) std::rethrow_exception(error);
        if (last && unwanted_ != 0) throw fewer_than_saved(channel_->after);
        if (last) return pump_result::ended;
      }
    }
    return pump_result::more;
  }
  void leave() {
    drop();
    channel_->leave();
  }

 private:
  std::size_t size() const { return held_->load == nullptr ? 0 : static_cast<chunk<T>*>(held_->load)->size(); }
  void drop() {
    if (held_ == nullptr) return;
    passed_.since += next_;
    channel_->release(std::exchange(held_, nullptr));
  }
  channel* channel_;
  message* held_ = nullptr;
  std::size_t next_ = 0;
  std::uint64_t epoch_ = 0;
  progress passed_{};           ///< progress up to the held message
  std::uint64_t unwanted_ = 0;  ///< elements still to come that the saved state counts as taken
};

}  // namespace plumbline::detail
