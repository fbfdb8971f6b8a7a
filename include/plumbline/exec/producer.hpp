#pragma once
/// Producers: the serial part at the beginning of a segment, as an actor. A producer wakes for a credit, an arrival or
/// a new epoch, and fills messages until it runs out of credits or input, or the epoch ends.

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/marker.hpp>
#include <plumbline/exec/unfused.hpp>

#include <memory>
#include <type_traits>

namespace plumbline::detail {

/// Limits on the size of one message.
struct message_limits {
  std::size_t elements;                      ///< at most
  std::size_t bytes = std::size_t{1} << 18;  ///< approximately, if elements own memory
};

/// Sends ranges of element indices of an indexed head; the first stage makes the elements.
class number_producer : public producer_base {
 public:
  PLUMBLINE_INLINE message* acquire() final;
  PLUMBLINE_INLINE bool fill(message& m) final;

 protected:
  number_producer(channel* out, chunk_sizer* sizer, message_limits limits);
  virtual std::uint64_t count() const = 0;

 private:
  channel* out_;
  chunk_sizer* sizer_;
  message_limits limits_;
  static constexpr auto no_limit = ~std::uint64_t{0};
  std::uint64_t generation_ = 0, epoch_ = 0, next_ = 0, count_ = 0;
  std::uint64_t most_ = no_limit;  ///< set once, when an epoch is left or begun after runtime::shorten
  bool running_ = false, counted_ = false;
};
template <class Head> class indexed_producer final : public number_producer {
 public:
  indexed_producer(std::shared_ptr<const Head> head, channel* out, chunk_sizer* sizer, message_limits limits)
      : number_producer(out, sizer, limits), head_(std::move(head)) {}

 private:
  std::uint64_t count() const override { return head_->size(); }
  std::shared_ptr<const Head> head_;
};

/// Pumps a cursor into chunks.
class chunk_producer : public producer_base {
 public:
  PLUMBLINE_INLINE message* acquire() final;
  PLUMBLINE_INLINE bool fill(message& m) final;

 protected:
  /// `gathers`: the cursor gives fewer elements than it takes (a batch).
  chunk_producer(channel* out, chunk_sizer* sizer, message_limits limits, const std::atomic<bool>* stop, bool gathers);
  virtual restartable& part() = 0;
  virtual payload* fresh_chunk() = 0;
  /// Does about `budget` elements' worth of work. Adds the memory that the elements own to `bytes`.
  virtual pump_result pump(payload& out, std::size_t budget, std::size_t& bytes) = 0;

 private:
  pump_result fill(payload& c);

  channel* out_;
  chunk_sizer* sizer_;
  element_cost* cost_;
  message_limits limits_;
  const std::atomic<bool>* stop_;
  marker marks_;
  std::shared_ptr<const saved> here_, next_;  ///< marks for this message and the one after it
  std::uint64_t generation_ = 0, position_ = 0;
  channel::request want_{0, 0, false};
  bool gathers_, running_ = false;
  bool begins_ = false;   ///< the cursor has not yet begun its epoch
  bool pending_ = false;  ///< the cursor had no more elements ready
};
template <class Trace, class Cursor, bool KeepLineage> class cursor_producer final : public chunk_producer {
 public:
  using element = typename Cursor::element;

  cursor_producer(Cursor cursor, channel* out, chunk_sizer* sizer, message_limits limits, const std::atomic<bool>* stop)
      : chunk_producer(out, sizer, limits, stop, Cursor::traits.gathers), part_(std::move(cursor)) {}

 private:
  restartable& part() override { return part_; }
  payload* fresh_chunk() override { return pool_.get(); }
  pump_result pump(payload& out, std::size_t budget, [[maybe_unused]] std::size_t& bytes) override {
    auto& c = static_cast<chunk<element>&>(out);
    const auto sink = [&](auto&& x, const lineage& at) {
      if constexpr (!std::is_trivially_copyable_v<element>) bytes += nbytes(x);
      c.template add<KeepLineage>(std::forward<decltype(x)>(x), at);
    };
    const filled_by<Trace::events, chunk<element>> place(&c, c);
    return pump_timed<Trace>(part_.cursor, sink, budget);
  }

  restartable_cursor<Cursor> part_;
  chunk_pool<element> pool_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/producer_inl.hpp>
#endif
