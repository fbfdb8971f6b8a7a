#pragma once
/// stream<T>: the consumer's handle on a running pipeline. It is an input range (std::ranges and range-v3), with
/// `next()` for any number of consumer threads. The pipeline's type is hidden, so a class can hold a stream as a
/// member.

#include <plumbline/exec/consumer.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace plumbline {

struct stream_stats;
class stream_watch;

namespace detail {
template <class T> struct watched_stream;  // tune/observe.hpp
template <class T> struct polled_stream;   // exec/polled_stream.hpp
}  // namespace detail

template <class T> class stream {
  using state = detail::consumer<T>;

 public:
  using value_type = T;

  explicit stream(std::unique_ptr<detail::runtime> r, std::uint64_t first_epoch)
      : self_(std::make_unique<state>(std::move(r), first_epoch)) {}
  /// Empty: it must be assigned a run before it is used.
  stream() = default;
  stream(stream&&) noexcept = default;
  stream& operator=(stream&&) noexcept = default;
  ~stream() = default;  // stops everything at its next element, and waits for it

  /// Returns the next element, or nothing at the end of the epoch and after it, until `restart()`. The first call
  /// begins the first epoch. Any number of threads may call it; each element goes to one of them. Throws
  /// `failure` after the elements before it, once to each thread; then, as after an epoch, it returns nothing.
  std::optional<T> next() {
    auto& own = self();
    const auto take = [](T* x) { return x == nullptr ? std::nullopt : std::optional<T>(std::move(*x)); };
    if (own.calls.odd.load(std::memory_order_relaxed)) return own.advance_oddly(take);
    const std::scoped_lock lock(own.mutex);
    return take(own.advance());
  }
  /// Begins a new epoch (a new permutation) and abandons the rest of the current one. A loop that follows runs it.
  void restart() { self().restart(); }
  /// Begins the epoch of this number instead; later epochs count on from it.
  void restart(std::uint64_t epoch) { self().restart(epoch); }
  /// The number of the epoch that is running; if none is, or it has ended, of the one that the next loop runs.
  std::uint64_t epoch() const { return self().epoch(); }
  /// Returns the state after the last element taken, without waiting or discarding anything. A fresh stream of the same
  /// pipeline and seed that loads it, with any number of threads, continues with bitwise the same elements. Elements
  /// that were made but not taken, and those made since the parts last recorded their state, are recomputed when the
  /// first element is requested: about what is made in a few messages, or in a hundred times the time that recording
  /// takes. Parts record their state from the first save() on, so a state of that first call is loaded by recomputing
  /// its epoch up to there; run_options::saves begins earlier. The epoch is also recomputed for a serial operator of
  /// your own without `state`, for buffered elements that cannot be copied, and between runs with and without threads.
  /// With several consumers, elements that others have taken count as taken. Call it from the thread that iterates or,
  /// if none iterates, from any thread. Throws std::logic_error for a run with order = unordered.
  stream_state save() { return self().save(); }
  /// Continues where the state was saved, with the next element requested or the next loop; restart() begins the epoch
  /// after it. Throws std::invalid_argument for a state of another pipeline or seed; if a source that states its
  /// count has another one now (files were added or removed), the message names it. If others have become shorter
  /// since, next() throws, where the epoch would end at the latest.
  void load(const stream_state& from) { self().load(from); }
  /// Ends the run promptly and permanently. May be called from any thread, even while others wait in next().
  void stop() {
    if (self_) self_->stop();
  }

  /// Returns what the run has recorded so far; empty unless the run is traced, e.g. run<tracing::counters>. May be
  /// called from any thread; like epoch() and record(), it waits for a next() in progress in another thread.
  trace traced() const { return self().traced(); }
  /// Returns the events of a run<tracing::timeline> so far, the latest if memory did not suffice for all
  /// (run_options::timeline_bytes). model/timeline_batches.hpp makes batches of it, and ext/chrome_trace.hpp a file for
  /// Perfetto. O(events). May be called as traced(). Throws std::logic_error for another run, also a tuned or live one.
  template <class Timeline = plumbline::timeline>  // complete with plumbline/timeline.hpp, which few users need
  Timeline timeline() const {
    Timeline events;
    self().timeline(events);
    return events;
  }
  /// Returns how much of each epoch waited for data: of the latest 64 epochs, and the running one, if any; see
  /// model/epoch_stalls.hpp. May be called as traced().
  std::vector<epoch_stalls> stalls() const { return self().stalls(); }
  /// Returns how the stream is doing, a stream_stats: rate, position, what limits it, queues, failures; in a traced run
  /// also operators, caches and memory. May be called from any thread at any time, also while others wait in next(); it
  /// does not wait for them. O(messages in flight); in a traced run also O(operators x threads). Needs
  /// plumbline/watch.hpp.
  template <class Stats = stream_stats> auto stats() const {
    constexpr bool included = requires { sizeof(Stats); };
    static_assert(included, "plumbline: stats() needs #include <plumbline/watch.hpp>");
    if constexpr (included) {
      Stats now;
      look_at(self(), now);
      return now;
    }
  }
  /// Returns a handle with the same stats(), which may be kept longer than the stream, for other
  /// threads: a stream_watch.
  template <class Watch = stream_watch> auto watch() const {
    constexpr bool included = requires { sizeof(Watch); };
    static_assert(included, "plumbline: watch() needs #include <plumbline/watch.hpp>");
    if constexpr (included) return Watch(self().link);
  }
  /// The parts of the run as they were built, numbered as in core/partition.hpp. O(parts).
  std::vector<built_part> parts() const { return self().run->parts(); }
  /// Pauses or resumes recording in a traced run, from its next message on; while paused, tracing costs almost nothing,
  /// and elements are counted for stats() only. No effect on a run without tracing. May be called from any thread.
  void record(bool wanted) { self().record(wanted); }

  /// For one thread: while it iterates, no other may call next(), begin() or restart(); stop(), record(), traced() and
  /// epoch() may be called. The element is valid until the next ++.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using reference = T&;
    using pointer = T*;

    iterator() = default;
    T& operator*() const { return *here_; }
    T* operator->() const { return here_; }
    iterator& operator++() {
      if (of_->calls.odd.load(std::memory_order_relaxed)) {
        here_ = of_->advance_oddly([](T* x) { return x; });
        return *this;
      }
      if ((here_ = of_->in_hand()) != nullptr) return *this;
      const std::scoped_lock lock(of_->mutex);
      here_ = of_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) { return i.here_ == nullptr; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.here_ == b.here_; }

   private:
    friend class stream;
    iterator(state* s, T* here) : of_(s), here_(here) {}
    state* of_ = nullptr;  // not the stream, which may be moved
    T* here_ = nullptr;
  };
  /// Begins an epoch: the first one, or a new one if one has begun already, unless restart() began it and nothing of it
  /// has been taken.
  iterator begin() {
    auto& own = self();
    const std::scoped_lock lock(own.mutex);
    own.start_loop();
    return iterator(&own, own.advance());
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  template <class> friend struct detail::watched_stream;
  template <class> friend struct detail::polled_stream;
  state& self() const {
    if (!self_) detail::throw_moved_from();
    if (self_->process.lost()) detail::throw_forked();
    return *self_;
  }
  std::unique_ptr<state> self_;
};

/// The stream of any pipeline whose elements are T, for members of classes: any_stream<tensor<float>> batches;
template <class T> using any_stream = stream<T>;

}  // namespace plumbline
