#pragma once
/// Definitions of ipc/shared_file.hpp.

#include <plumbline/ipc/shared_file.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace plumbline::detail {

PLUMBLINE_INLINE shared_file::shared_file(std::string kind, std::size_t bytes)
    : kind_(std::move(kind)), fd_(), size_(bytes) {
  rlimit most{};  // beyond which the process would get a signal
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur)
    throw_shared(kind_, "make shared memory of " + std::to_string(bytes) + " bytes (ulimit -f)", EFBIG);
  fd_ = [] {
    own_descriptors own;
    return descriptor(own.add(::memfd_create("plumbline", MFD_CLOEXEC)));
  }();
  if (fd_.get() < 0) throw_shared(kind_, "make shared memory", errno);
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0)
    throw_shared(kind_, "make shared memory of " + std::to_string(bytes) + " bytes", errno);
  open_locks();
}
PLUMBLINE_INLINE shared_file::shared_file(std::string kind, descriptor opened, std::size_t least)
    : kind_(std::move(kind)), fd_(std::move(opened)), size_(0) {
  struct stat is {};
  if (::fstat(fd_.get(), &is) != 0) throw_shared(kind_, "use the shared memory that another process offers", errno);
  size_ = static_cast<std::size_t>(is.st_size);
  if (size_ < least)
    throw_shared(kind_, "use the shared memory that another process offers: it has the wrong size", EINVAL);
  open_locks();
}
PLUMBLINE_INLINE void shared_file::open_locks() {
  // locks belong to an open file, and the descriptors that processes give each other are one open file
  const auto path = "/proc/self/fd/" + std::to_string(fd_.get());
  locks_ = [&] {
    own_descriptors own;
    return descriptor(own.add(::open(path.c_str(), O_RDWR | O_CLOEXEC)));
  }();
  if (locks_.get() < 0) throw_shared(kind_, "open shared memory again", errno);
}

inline struct flock byte_lock(short type, std::uint64_t which) {
  struct flock l {};
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = static_cast<off_t>(which);
  l.l_len = 1;
  return l;
}
PLUMBLINE_INLINE bool shared_file::lock(std::uint64_t which) const {
  auto l = byte_lock(F_WRLCK, which);
  return ::fcntl(locks_.get(), F_OFD_SETLK, &l) == 0;
}
PLUMBLINE_INLINE void shared_file::unlock(std::uint64_t which) const {
  auto l = byte_lock(F_UNLCK, which);
  ::fcntl(locks_.get(), F_OFD_SETLK, &l);
}
PLUMBLINE_INLINE bool shared_file::locked(std::uint64_t which) const {
  auto l = byte_lock(F_WRLCK, which);
  return ::fcntl(locks_.get(), F_OFD_GETLK, &l) != 0 || l.l_type != F_UNLCK;
}

PLUMBLINE_INLINE bool shared_file::reserve(std::uint64_t from, std::uint64_t to) const {
  // in pieces, the smaller the more signals come: one undoes the call that it interrupts, so a long one might never end
  for (std::uint64_t most = std::uint64_t{1} << 20; from < to;) {
    const auto piece = std::min(most, to - from);
    const int failed = ::posix_fallocate(fd_.get(), static_cast<off_t>(from), static_cast<off_t>(piece));
    if (failed == EINTR)
      most = std::max<std::uint64_t>(most / 2, 4096);
    else if (failed != 0)
      return false;
    else
      from += piece;
  }
  return true;
}

PLUMBLINE_INLINE void shared_signal::wait(std::uint32_t seen) {
  static_assert(sizeof word_ == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  const timespec most{0, 50'000'000};
  auto now = seen;
  if (!word_.compare_exchange_strong(now, seen | awaited) && now != (seen | awaited)) return;
  ::syscall(SYS_futex, &word_, FUTEX_WAIT, seen | awaited, &most, nullptr, 0);
}
PLUMBLINE_INLINE void shared_signal::notify() {
  auto now = word_.load();
  while (!word_.compare_exchange_weak(now, (now & ~awaited) + 2)) {
  }
  if ((now & awaited) != 0) ::syscall(SYS_futex, &word_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

PLUMBLINE_INLINE file_mapping::file_mapping(const shared_file& of, std::size_t bytes, access how)
    : data_(nullptr), size_(bytes) {
  const int allowed = how == access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* all = ::mmap(nullptr, bytes, allowed, MAP_SHARED | MAP_NORESERVE, of.descriptor_number(), 0);
  if (all == MAP_FAILED)
    throw_shared(of.kind(), "map shared memory of " + std::to_string(bytes) + " bytes (address space; ulimit -v)",
                 errno);
  data_ = static_cast<std::byte*>(all);
}
PLUMBLINE_INLINE void file_mapping::not_in_children() { ::madvise(data_, size_, MADV_DONTFORK); }
PLUMBLINE_INLINE file_mapping::~file_mapping() { ::munmap(data_, size_); }

}  // namespace plumbline::detail
