#pragma once
/// read_watch: who is told of reads from storage on this thread. The readers of sources/ report here; whoever traces a
/// run listens. Without a listener a report is one load and a branch, beside a system call.

#include <cstdint>
#include <string_view>

namespace plumbline::detail {

struct read_watch {
  virtual ~read_watch() = default;
  /// `bytes` were read of the file at `path`, which has `size` bytes.
  virtual void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) = 0;

  static read_watch*& here() {
    thread_local read_watch* w = nullptr;
    return w;
  }
};

}  // namespace plumbline::detail
