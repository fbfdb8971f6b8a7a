#pragma once
/// runtime<T>: what a stream reads from. consumer<T>: how far its consumers have come.

#include <plumbline/core/partition.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/stream_state.hpp>
#include <plumbline/exec/taking.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// What a stream reads from. One consumer call at a time, except `halt`.
template <class T> struct runtime {
  virtual ~runtime() = default;
  virtual void begin(std::uint64_t epoch, const line_mark& from) = 0;
  /// The next elements of the epoch, at least one; false when it is over. The chunk stays valid until the next call.
  /// Where they begin with a mark, it is noted in `come`.
  virtual bool fetch(chunk<T>*& out, progress& come) = 0;
  /// From any thread: ends everything; a fetch that waits returns false.
  virtual void halt() = 0;
  /// From now on there are to be marks.
  virtual void want_marks() = 0;
  /// A mark behind all that was fetched, if there can be one.
  virtual bool mark(line_mark&) { return false; }
  virtual run_identity identity() const = 0;
  virtual void record(bool wanted) = 0;
  /// A traced run tells it of its fetches, and says which calls are to be timed.
  virtual void watch(taking&) {}
  virtual trace snapshot() const = 0;
  virtual std::vector<built_part> parts() const = 0;
};

/// A stream's place in its run, for any number of consumers.
template <class T> struct consumer {
  mutable std::mutex mutex;
  std::unique_ptr<runtime<T>> run;
  chunk<T>* held = nullptr;
  std::size_t at = 0;
  std::uint64_t next_epoch = 0;
  bool begun = false, ended = false;
  bool over = false;           ///< ended, and nothing failed
  progress come;               ///< how far the epoch has come, up to the chunk that is held
  std::uint64_t before = 0;    ///< elements of the epoch that were taken, likewise
  std::uint64_t unwanted = 0;  ///< elements still to come that were taken before the state was saved
  bool loaded = false;         ///< the next epoch begins where a loaded state was saved
  taking calls;
  std::atomic<bool> stopped{false};

  /// Begins an epoch. `anew`: from its beginning, even if a state was loaded.
  void start(bool anew = false) {
    held = nullptr;
    at = 0;
    begun = true;
    calls.odd.store(false, std::memory_order_relaxed);
    ended = stopped.load();
    over = false;
    if (std::exchange(loaded, false) && !anew) {
      unwanted = std::exchange(come.since, 0);
      before -= unwanted;
    } else {
      come = {};
      before = unwanted = 0;
    }
    if (!ended) run->begin(next_epoch++, come.from);
  }
  /// The next of the elements already fetched, or null. Does not touch the run, which other threads may be using.
  T* in_hand() {
    if (held == nullptr || at == held->size() || stopped.load(std::memory_order_relaxed)) return nullptr;
    return &held->values[at++];
  }
  /// The next element, or null at the end of the epoch, which must have begun.
  T* advance() {
    if (ended || stopped.load(std::memory_order_relaxed)) return nullptr;
    while (held == nullptr || at == held->size()) {
      come.since += at;
      before += at;
      at = 0;
      held = nullptr;
      try {
        if (!run->fetch(held, come)) held = nullptr;
      } catch (...) {
        held = nullptr;
        ended = true;
        throw;
      }
      if (held == nullptr) {
        ended = true;
        over = !stopped.load();
        return nullptr;
      }
      at = static_cast<std::size_t>(std::min<std::uint64_t>(unwanted, held->size()));
      unwanted -= at;
    }
    return &held->values[at++];
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
};

}  // namespace plumbline::detail
