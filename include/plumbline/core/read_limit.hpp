#pragma once
/// read_limit: how many bytes per second a run may read from storage, to emulate slower storage (Plumber, section 5.2).
/// A token bucket shared by all threads of the run: idle time accumulates nothing beyond the burst. The readers in
/// sources/ report here; without a limit a report costs one load and a branch, in addition to a system call.

#include <plumbline/core/compiled.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace plumbline::detail {

class read_limit {
 public:
  /// The rate must be positive. Setting `stop` ends every wait within 10 ms.
  read_limit(double bytes_per_second, double burst_bytes, const std::atomic<bool>& stop);

  /// The limit of the run that this thread works for, or null.
  static read_limit*& here() {
    thread_local read_limit* l = nullptr;
    return l;
  }

  /// Waits until so many bytes, just read, fit the limit; first come, first served. In the first t seconds at most
  /// burst + t x rate bytes pass. The bucket is kept as the time at which it was last empty (the generic cell rate
  /// algorithm, ITU-T I.371), so a thread that wakes late loses none of the rate.
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

/// While it exists, this thread's reads are subject to the given limit; null: the limit in force stays.
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
