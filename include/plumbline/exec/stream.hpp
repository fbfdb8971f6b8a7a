#pragma once
/// stream<T>: the consumer's handle on a running pipeline. An input range (std::ranges and range-v3), with `next()` for
/// any number of consumer threads. The pipeline's type is hidden: a class can hold one as a member.

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

template <class T> class stream {
  using state = detail::consumer<T>;

 public:
  using value_type = T;

  explicit stream(std::unique_ptr<detail::runtime> r, std::uint64_t first_epoch)
      : self_(std::make_unique<state>(std::move(r), first_epoch)) {}
  stream(stream&&) noexcept = default;
  stream& operator=(stream&&) noexcept = default;
  ~stream() = default;  // stops at the next element of whatever runs, and waits for it

  /// The next element, or nothing at the end of the epoch (and ever after, until `restart()`). Begins the first epoch
  /// by itself. Any number of threads may call it; each element goes to one of them. Throws `failure` once, to one of
  /// them.
  std::optional<T> next() {
    auto& own = self();
    const auto take = [](T* x) { return x == nullptr ? std::nullopt : std::optional<T>(std::move(*x)); };
    if (own.calls.odd.load(std::memory_order_relaxed)) return own.advance_oddly(take);
    const std::scoped_lock lock(own.mutex);
    return take(own.advance());
  }
  /// Begins a new epoch (a new permutation), leaving what is left of the current one.
  void restart() { self().restart(); }
  /// The same with the epoch of this number; the one after it follows.
  void restart(std::uint64_t epoch) { self().restart(epoch); }
  /// The number of the epoch that is running, or that the first call begins.
  std::uint64_t epoch() const { return self().epoch(); }
  /// The state as of the last element that was taken; nothing is waited for or thrown away. Loaded into a fresh stream
  /// of the same pipeline and seed, whatever its threads, what follows is bitwise the same. What was made and not
  /// taken, and what came since the parts last noted their state, is made again when the first element is asked for:
  /// about as much as is made in a few messages, or a hundred times what noting costs. Parts note their state from the
  /// first save() on, so a state of that first call is loaded by making its epoch again up to there; run_options::saves
  /// begins earlier. The same holds of a serial operator of your own without `state`, of elements in a buffer that
  /// cannot be copied, and between runs with and without threads. With several consumers, elements that others have
  /// taken count. From the thread that iterates, or from any, like traced(). Not of a run with order = unordered.
  stream_state save() { return self().save(); }
  /// The stream goes on where that state was saved, with the next element asked for or the next loop; restart() begins
  /// the epoch after it. Throws std::invalid_argument for a state of another pipeline or seed.
  void load(const stream_state& from) { self().load(from); }
  /// Ends everything promptly; from any thread, also while others wait in next(). The stream stays ended.
  void stop() {
    if (self_) self_->stop();
  }

  /// What the run has recorded so far; empty unless it was started with run<tracing::counters>. From any
  /// thread; like epoch() and record() it waits for the next() that another thread may be in.
  trace traced() const { return self().traced(); }
  /// The parts that run, as they were built; core/partition.hpp numbers them. O(parts).
  std::vector<built_part> parts() const { return self().run->parts(); }
  /// A traced run stops recording, or goes on with it, from its next message; what it costs meanwhile is about nothing.
  /// No effect on a run without tracing. From any thread.
  void record(bool wanted) { self().record(wanted); }

  /// For one thread: while it iterates, no other may call next(), begin() or restart(); stop(), record(), traced() and
  /// epoch() may be called. The element is there until the next ++.
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
  /// Begins an epoch: a new one, unless none has been begun yet.
  iterator begin() {
    auto& own = self();
    const std::scoped_lock lock(own.mutex);
    own.start();
    return iterator(&own, own.advance());
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  state& self() const {
    if (!self_) detail::throw_moved_from();
    return *self_;
  }
  std::unique_ptr<state> self_;
};

}  // namespace plumbline
