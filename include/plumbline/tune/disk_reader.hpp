#pragma once
/// disk_reader: reads pieces of files as a source would, but from storage: past the page cache (O_DIRECT), or after
/// advice to drop them from it, with or without the system reading ahead. Private to measure_disk.

#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline::detail {

enum class disk_access : unsigned char { direct, advised, read_ahead, cached };

[[noreturn]] inline void cannot_measure(const char* verb, const std::string& path, const std::string& why) {
  throw std::runtime_error("plumbline: measure_disk cannot " + std::string(verb) + " '" + path + "': " + why);
}
inline std::uint64_t size_of_file(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) cannot_measure("find", path, std::strerror(errno));
  if (!S_ISREG(s.st_mode)) cannot_measure("read", path, "it is not a regular file");
  return static_cast<std::uint64_t>(s.st_size);
}

/// One reader, for one thread.
class disk_reader {
 public:
  /// `request`: bytes, a multiple of `alignment`.
  disk_reader(disk_access how, std::size_t request)
      : how_(how), request_(request), buffer_(static_cast<std::byte*>(::operator new(request, alignment))) {}
  disk_reader(const disk_reader&) = delete;
  disk_reader& operator=(const disk_reader&) = delete;
  ~disk_reader() { close(); }

  /// Starts the next piece: bytes from `from` (a multiple of the request) to `to`. Opens the file again, as sources do.
  void open(const std::string& path, std::uint64_t from, std::uint64_t to) {
    const bool dropped = &path == next_;
    next_ = nullptr;
    close();
    path_ = &path;
    at_ = from;
    to_ = to;
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (how_ == disk_access::direct ? O_DIRECT : 0));
    if (fd_ < 0) cannot_measure("open", path, std::strerror(errno));
    ++opened_;
    if (how_ != disk_access::advised && how_ != disk_access::read_ahead) return;
    if (!dropped) drop(from, to);
    if (how_ == disk_access::read_ahead) (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);  // as byte_stream
  }
  /// The whole of this file, another one, is opened next; the system begins to read it, as for file_sequence
  /// (open_file::will_read_next).
  void will_open(const std::string& path, std::uint64_t size) {
    const int here = std::exchange(fd_, ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd_ >= 0) drop(0, size);
    (void)::posix_fadvise(fd_, 0, off_t{1} << 20U, POSIX_FADV_WILLNEED);
    close();
    fd_ = here;
    next_ = &path;
  }
  /// Reads the next request of the piece. Returns its bytes, 0 at the end of the piece.
  std::size_t next() {
    if (at_ >= to_) return 0;
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(request_, to_ - at_));
    ssize_t n = 0;
    // past the page cache only whole blocks can be requested; at the end of the file the result is shorter
    do n = ::pread(fd_, buffer_.get(), how_ == disk_access::direct ? request_ : want, static_cast<off_t>(at_));
    while (n < 0 && errno == EINTR);
    if (n < 0) cannot_measure("read", *path_, std::strerror(errno));
    at_ += n == 0 ? to_ : static_cast<std::uint64_t>(n);  // a file truncated meanwhile has ended
    return std::min(static_cast<std::size_t>(n), want);
  }
  std::uint64_t opened() const { return opened_; }
  std::uint64_t still_cached() const { return still_cached_; }

  /// The access that the file system of this file allows. (One that accepts O_DIRECT may still read from memory.)
  static disk_access access_to(const std::string& path) {
    try {
      disk_reader one(disk_access::direct, static_cast<std::size_t>(alignment));
      one.open(path, 0, 1);
      one.next();
      return disk_access::direct;
    } catch (const std::runtime_error&) {
      return disk_access::advised;
    }
  }
  /// True if the file system keeps files in memory only.
  static bool in_memory(const std::string& path) {
    constexpr unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6;  // linux/magic.h
    struct statfs s {};
    if (::statfs(path.c_str(), &s) != 0) return false;
    const auto kind = static_cast<unsigned long>(s.f_type) & 0xffffffffUL;
    return kind == tmpfs || kind == ramfs;
  }

 private:
  static constexpr std::align_val_t alignment{4096};  // a multiple of the block size of common devices
  struct release {
    void operator()(std::byte* p) const { ::operator delete(p, alignment); }
  };
  void drop(std::uint64_t from, std::uint64_t to) {
    const auto offset = static_cast<off_t>(from);
    (void)::posix_fadvise(fd_, offset, static_cast<off_t>(to - from), POSIX_FADV_DONTNEED);
    // a non-blocking read succeeds only if the data are in memory
    const iovec one{buffer_.get(), 1};
    if (::preadv2(fd_, &one, 1, offset, RWF_NOWAIT) > 0) ++still_cached_;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  disk_access how_;
  std::size_t request_;
  std::unique_ptr<std::byte[], release> buffer_;
  const std::string *path_ = nullptr, *next_ = nullptr;
  int fd_ = -1;
  std::uint64_t at_ = 0, to_ = 0, opened_ = 0, still_cached_ = 0;
};

}  // namespace plumbline::detail
