#pragma once
/// consumer<T>: a stream's position in its run, shared by all threads that take from the stream.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/position.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/taking.hpp>
#include <plumbline/ipc/fork_check.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace plumbline::detail {

struct consumer_base;

/// How others find a stream that may be destroyed at any time.
struct stream_link {
  std::mutex mutex{};
  const consumer_base* to;  ///< null: the stream is gone
};

/// The base of consumer<T> that does not depend on the element type.
struct consumer_base {
  mutable std::mutex mutex;
  std::unique_ptr<runtime> run;
  fork_check process;
  payload* held = nullptr;
  shown_index at;                                ///< index of the next element in `held`
  std::uint64_t next_epoch = 0, this_epoch = 0;  ///< that begins next; that has begun last
  bool begun = false, ended = false;
  bool over = false;                       ///< ended, and neither failed nor stopped
  std::exception_ptr error{};              ///< what ended the epoch
  std::vector<std::uint64_t> thrown_to{};  ///< the threads that it was thrown to
  progress come;                           ///< progress of the epoch up to the held chunk
  std::uint64_t before = 0;                ///< elements of the epoch taken before the held chunk
  std::uint64_t unwanted = 0;              ///< elements still to come that the loaded state counts as taken
  bool loaded = false;                     ///< the next epoch begins where the loaded state was saved
  bool restarted = false;                  ///< restart() has begun the epoch
  taking calls;
  epoch_log log;
  std::atomic<bool> stopped{false};
  shown_position position;  ///< changed with every change of `before`, `unwanted` and the epoch
  const std::shared_ptr<stream_link> link;

  consumer_base(std::unique_ptr<runtime> r, std::uint64_t first_epoch);
  consumer_base(const consumer_base&) = delete;
  ~consumer_base();

  /// Begins an epoch. `anew`: from its beginning, even if a state was loaded.
  void start(bool anew = false);
  /// Begins an epoch for a loop, but goes on with one that restart() has begun and of which nothing was taken yet.
  void start_loop();
  /// Fetches more elements; false if the epoch is over. The epoch must have begun. `pending`: does not wait; set if
  /// they have not come yet, with false.
  bool fetch(bool* pending = nullptr);
  /// The epoch is over.
  void finish(stream_phase how);
  /// The epoch has ended: throws the error that ended it, if there is one that this thread has not had yet. One that
  /// has finds the end: a loop that goes on after each failure would never end otherwise.
  void throw_error();

  // --- the operations of a stream; all but stop() take the lock

  void restart();
  void restart(std::uint64_t epoch);
  std::uint64_t epoch() const;
  stream_state save();
  void load(const stream_state& from);
  void stop();
  trace traced() const;
  void timeline(plumbline::timeline& to) const;
  std::vector<epoch_stalls> stalls() const;
  void record(bool wanted);

 private:
  /// Makes the position what other threads see.
  void show(stream_phase phase) { position.close({this_epoch, before + unwanted, phase}); }
  /// Elements of the epoch taken so far.
  std::uint64_t taken() const { return before + at + unwanted; }
  /// True if the epoch is known to have no more elements, though it was not asked for its end.
  bool all_taken() const;
  /// Ends the epoch with an error, and throws it.
  [[noreturn]] void fail(const std::exception_ptr& why);
  void throw_if_stopped(const char* who) const;
  run_identity identity(const char* who) const;
};

template <class T> struct consumer : consumer_base {
  using consumer_base::consumer_base;

  bool has_more() const { return held != nullptr && at != chunk_held()->size(); }
  /// Returns the next element that is already fetched, or null. Does not touch the run, which other threads may be
  /// using.
  T* in_hand() {
    if (held == nullptr) return nullptr;
    const std::size_t i = at;  // read once: the compiler does not combine two loads of an atomic
    if (i == chunk_held()->size() || stopped.load(std::memory_order_relaxed)) return nullptr;
    at = i + 1;
    return &chunk_held()->values[i];
  }
  /// Returns the next element, or null at the end of the epoch. The epoch must have begun. `pending`: see fetch().
  T* advance(bool* pending = nullptr) {
    if (ended || stopped.load(std::memory_order_relaxed)) return throw_error(), nullptr;
    if (!has_more() && !fetch(pending)) return nullptr;
    return &chunk_held()->values[at++];
  }
  /// The slow path of advance(), taken while `calls.odd` is set: begins the first epoch if necessary, and times the
  /// call. `take` converts the element for the caller.
  template <class F> auto advance_oddly(F&& take) {
    taking::call c{ticks_now(), 0, false, false, 0, 0};
    auto got = [&] {
      const std::scoped_lock lock(mutex);
      if (!begun) start();
      T* x = advance();
      c.got = x != nullptr;
      c.fetched = at <= 1;
      c.epoch = next_epoch - 1;
      c.position = before + at - (c.got ? 1 : 0);
      return take(x);
    }();
    c.left = ticks_now();
    const std::scoped_lock lock(mutex);
    calls.called(c);
    return got;
  }

 private:
  chunk<T>* chunk_held() const { return static_cast<chunk<T>*>(held); }
};

/// Throws the error for using a stream that was moved from.
[[noreturn]] void throw_moved_from();
/// Throws the error for using a stream in a child of the process that started it.
[[noreturn]] void throw_forked();

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/consumer_inl.hpp>
#endif
