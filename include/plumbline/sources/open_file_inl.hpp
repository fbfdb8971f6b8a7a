#pragma once
/// Definitions of sources/open_file.hpp.

#include <plumbline/core/read_limit.hpp>
#include <plumbline/core/read_watch.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/open_file.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

namespace plumbline::detail {

inline constexpr int how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// "a directory", "a FIFO", ...
inline std::string_view kind_of_file(mode_t mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "neither a file nor a directory";
}

/// Opens a file that the kernel finds without reading from storage; anything else fails.
inline int open_known([[maybe_unused]] const char* path, [[maybe_unused]] int flags) {
#ifdef RESOLVE_CACHED
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_CACHED;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
#else
  return -1;
#endif
}

inline ssize_t read_piece(int fd, const iovec& to, off_t offset, read_from from) {
  if (from == read_from::storage) return ::pread(fd, to.iov_base, to.iov_len, offset);
  return ::preadv2(fd, &to, 1, offset, RWF_NOWAIT);
}

PLUMBLINE_INLINE open_file::open_file(std::string path, std::string_view who)
    : open_file(std::move(path), who, [](const char* p, int flags) { return ::open(p, flags); }) {
  if (fd_ < 0) throw_errno(who_, "open", path_, 0, errno);
  inspect();
}

PLUMBLINE_INLINE open_file::open_file(std::string path, std::string_view who, int (*open)(const char* path, int flags))
    : path_(std::move(path)), who_(who) {
  if (const auto zero = path_.find('\0'); zero != std::string::npos)
    throw io_error("plumbline: " + std::string(who_) + " cannot open a path that begins with '" +
                       path_.substr(0, zero) + "' and goes on after a zero byte; separate paths by line breaks",
                   path_, 0, EINVAL);
  do fd_ = open(path_.c_str(), how_to_open);
  while (fd_ < 0 && errno == EINTR);
}

PLUMBLINE_INLINE std::optional<open_file> open_file::cached(std::string path, std::string_view who) {
  if (read_limit::here() != nullptr) return std::nullopt;  // a limit stands for slow storage
  open_file f(std::move(path), who, open_known);
  if (f.fd_ < 0) return std::nullopt;
  f.inspect();
  return f;
}

PLUMBLINE_INLINE open_file::open_file(open_file&& o) noexcept
    : path_(std::move(o.path_)), who_(o.who_), fd_(std::exchange(o.fd_, -1)), size_(o.size_) {}

PLUMBLINE_INLINE open_file& open_file::operator=(open_file&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(who_, o.who_);
  std::swap(fd_, o.fd_);
  std::swap(size_, o.size_);
  return *this;
}

PLUMBLINE_INLINE open_file::~open_file() {
  if (fd_ >= 0) ::close(fd_);
}

PLUMBLINE_INLINE std::uint64_t open_file::size_now() const {
  struct stat s {};
  return ::fstat(fd_, &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : size_;
}

PLUMBLINE_INLINE void open_file::will_read_all() const { (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL); }

PLUMBLINE_INLINE void open_file::will_read_next(const std::string& path) {
  constexpr off_t most = off_t{1} << 20U;
  const int fd = ::open(path.c_str(), how_to_open);
  if (fd < 0) return;
  (void)::posix_fadvise(fd, 0, most, POSIX_FADV_WILLNEED);
  ::close(fd);
}

PLUMBLINE_INLINE std::size_t open_file::read_at(std::uint8_t* to, std::size_t n, std::uint64_t offset,
                                                read_from from) const {
  constexpr std::size_t most = std::size_t{1} << 30U;  // one call moves at most 2^31 - 4096 bytes on Linux
  std::size_t got = 0;
  while (got < n) {
    const iovec piece{to + got, std::min(n - got, most)};
    const ssize_t r = read_piece(fd_, piece, static_cast<off_t>(offset + got), from);
    if (r > 0)
      got += static_cast<std::size_t>(r);
    else if (from == read_from::page_cache && r < 0 && errno != EINTR)
      return not_cached;
    else if (r == 0 || (errno != EINTR && got > 0))
      break;
    else if (errno != EINTR)
      throw_errno(who_, "read", path_, offset, errno);
  }
  if (auto* w = read_watch::here(); w != nullptr && got > 0) w->has_read(path_, got, size_);
  if (auto* l = read_limit::here(); l != nullptr && got > 0) l->take(got);
  if (got == 0 && n > 0 && offset < size_)
    throw io_error("plumbline: " + std::string(who_) + " found the end of '" + path_ + "' at byte " +
                       std::to_string(offset) + ", but it had " + std::to_string(size_) +
                       " bytes when it was opened: it was cut while being read; read it when its writer is done",
                   path_, offset);
  return got;
}

PLUMBLINE_INLINE void open_file::inspect() {
  struct stat s {};
  if (::fstat(fd_, &s) != 0) throw_errno(who_, "inspect", path_, 0, errno);
  if (!S_ISREG(s.st_mode))
    throw io_error(
        "plumbline: " + std::string(who_) + " cannot read '" + path_ + "': it is " +
            std::string(kind_of_file(s.st_mode)) + ", not a regular file; " +
            (S_ISDIR(s.st_mode) ? "files(\"" + path_ + "\") lists what is in it" : "copy its content into a file"),
        path_, 0, S_ISDIR(s.st_mode) ? EISDIR : 0);
  size_ = static_cast<std::uint64_t>(s.st_size);
}

}  // namespace plumbline::detail
