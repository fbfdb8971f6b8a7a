#pragma once
/// consumer<T>: how far a stream's consumers have come.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/taking.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace plumbline::detail {

/// A stream's place in its run, for any number of consumers.
struct consumer_base {
  mutable std::mutex mutex;
  std::unique_ptr<runtime> run;
  payload* held = nullptr;
  std::size_t at = 0;  ///< in it
  std::uint64_t next_epoch = 0;
  bool begun = false, ended = false;
  bool over = false;           ///< ended, and nothing failed
  progress come;               ///< how far the epoch has come, up to the chunk that is held
  std::uint64_t before = 0;    ///< elements of the epoch that were taken, likewise
  std::uint64_t unwanted = 0;  ///< elements still to come that were taken before the state was saved
  bool loaded = false;         ///< the next epoch begins where a loaded state was saved
  taking calls;
  std::atomic<bool> stopped{false};

  consumer_base(std::unique_ptr<runtime> r, std::uint64_t first_epoch);
  consumer_base(const consumer_base&) = delete;
  ~consumer_base();

  /// Begins an epoch. `anew`: from its beginning, even if a state was loaded.
  void start(bool anew = false);
  /// Fetches more elements. False: the epoch, which must have begun, is over.
  bool fetch();

  // --- what a stream does for its user, under the lock

  void restart();
  void restart(std::uint64_t epoch);
  std::uint64_t epoch() const;
  stream_state save();
  void load(const stream_state& from);
  void stop();
  trace traced() const;
  void record(bool wanted);

 private:
  run_identity identity(const char* who) const;
};

template <class T> struct consumer : consumer_base {
  using consumer_base::consumer_base;

  bool has_more() const { return held != nullptr && at != chunk_held()->size(); }
  /// The next of the elements already fetched, or null. Does not touch the run, which other threads may be using.
  T* in_hand() {
    if (!has_more() || stopped.load(std::memory_order_relaxed)) return nullptr;
    return &chunk_held()->values[at++];
  }
  /// The next element, or null at the end of the epoch, which must have begun.
  T* advance() {
    if (ended || stopped.load(std::memory_order_relaxed)) return nullptr;
    if (!has_more() && !fetch()) return nullptr;
    return &chunk_held()->values[at++];
  }
  /// advance() as `calls` asks for it. `take`: what the caller makes of the element.
  template <class F> auto advance_oddly(F&& take) {
    const auto entered = ticks_now();
    auto got = [&] {
      const std::scoped_lock lock(mutex);
      if (!begun) start();
      return take(advance());
    }();
    const auto left = ticks_now();
    const std::scoped_lock lock(mutex);
    calls.called(entered, left, at <= 1);
    return got;
  }

 private:
  chunk<T>* chunk_held() const { return static_cast<chunk<T>*>(held); }
};

/// A stream that was moved from has none.
[[noreturn]] void throw_moved_from();

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/consumer_inl.hpp>
#endif
