#pragma once
/// read_watch: the listener for reads from storage on this thread. The readers in sources/ report here; a traced run
/// listens. Without a listener a report costs one load and a branch, in addition to a system call.

#include <plumbline/core/read_limit.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace plumbline::detail {

struct read_watch {
  virtual ~read_watch() = default;
  /// Called when `bytes` were read from the file at `path`, which has `size` bytes.
  virtual void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) = 0;

  static read_watch*& here() {
    thread_local read_watch* w = nullptr;
    return w;
  }
};

/// While it exists, reads are not reported and no limit applies: for bytes that will be read again, from memory then.
class unwatched_reads {
 public:
  unwatched_reads()
      : watch_(std::exchange(read_watch::here(), nullptr)), limit_(std::exchange(read_limit::here(), nullptr)) {}
  ~unwatched_reads() {
    read_watch::here() = watch_;
    read_limit::here() = limit_;
  }
  unwatched_reads(const unwatched_reads&) = delete;
  unwatched_reads& operator=(const unwatched_reads&) = delete;

 private:
  read_watch* watch_;
  read_limit* limit_;
};

}  // namespace plumbline::detail
