#pragma once
/// read_limit: how many bytes a second a run may read from storage, for experiments with slower storage than there is
/// (Plumber, section 5.2). A token bucket shared by all threads of the run: an idle second saves up nothing beyond the
/// burst. The readers of sources/ report here; without a limit a report is one load and a branch, beside a system call.

#include <plumbline/core/compiled.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace plumbline::detail {

class read_limit {
 public:
  /// The rate is positive. `stop`: ends every wait within 10 ms.
  read_limit(double bytes_per_second, double burst_bytes, const std::atomic<bool>& stop);

  /// Of the run that this thread works for.
  static read_limit*& here() {
    thread_local read_limit* l = nullptr;
    return l;
  }

  /// Returns when so many bytes, just read, may be there: first come, first served. Until t seconds have passed, no
  /// more than burst + t x rate come through. The bucket is kept as the time at which it was last empty (the generic
  /// cell rate algorithm, ITU-T I.371), so that a thread that wakes late loses nothing of the rate.
  void take(std::uint64_t bytes);

 private:
  double now() const;
  double book(std::uint64_t bytes);

  double each_, burst_;  // seconds
  const std::atomic<bool>& stop_;
  const double begin_;
  std::mutex mutex_;
  double empty_ = -burst_;  // seconds from begin_; full when the run begins
};

/// While it lives this thread's reads are held to a limit; null: to that of whoever called.
class limited_reads {
 public:
  explicit limited_reads(read_limit* l) : before_(read_limit::here()) {
    if (l != nullptr) read_limit::here() = l;
  }
  ~limited_reads() { read_limit::here() = before_; }
  limited_reads(const limited_reads&) = delete;
  limited_reads& operator=(const limited_reads&) = delete;

 private:
  read_limit* before_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/core/read_limit_inl.hpp>
#endif
