#pragma once
/// no_waiting: reads that are tried where they must not wait. What lies in the page cache is read by the compute worker
/// that needs it: no hand-over to an I/O thread and back, and the bytes are in that core's cache when they are decoded.
/// Only what storage has to be asked for goes to the I/O threads. Linux 5.12 on ext4, XFS or Btrfs; elsewhere (network
/// and overlay file systems, older kernels) every try is refused, and soon one message in 64 is tried.
///
/// An operator that blocks says `static constexpr bool tries = true` when its apply() may be tried: while
/// no_waiting::here() it throws would_wait instead of waiting, before it has had any effect and with its element as it
/// was, and is called again where it may wait.

#include <plumbline/core/failure.hpp>

#include <utility>

namespace plumbline::detail {

/// The answer of a read that is tried, when it would have to wait. (As `thrown` it passes by guarded().)
struct would_wait : thrown {};

/// While it lives, this thread's reads must not wait.
class no_waiting {
 public:
  explicit no_waiting(bool wanted) : before_(std::exchange(here(), wanted)) {}
  ~no_waiting() { here() = before_; }
  no_waiting(const no_waiting&) = delete;
  no_waiting& operator=(const no_waiting&) = delete;

  static bool& here() {
    thread_local bool wanted = false;
    return wanted;
  }

 private:
  bool before_;
};

}  // namespace plumbline::detail
