#pragma once
/// Definitions of shared/segment.hpp. Linux.

#include <plumbline/shared/segment.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_shared(const std::string& what, int code) {
  throw std::system_error(code, std::generic_category(), "plumbline: run_shared: cannot " + what);
}

/// The descriptors of this process that its children close.
struct known_descriptors {
  std::mutex mutex{};
  std::vector<int> all{};
  static known_descriptors& instance() {
    static auto* one = [] {
      auto* made = new known_descriptors;
      pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                     [] {
                       for (const int fd : instance().all) ::close(fd);
                       instance().all.clear();
                       instance().mutex.unlock();
                     });
      return made;
    }();
    return *one;
  }
};
PLUMBLINE_INLINE own_descriptors::own_descriptors() { known_descriptors::instance().mutex.lock(); }
PLUMBLINE_INLINE own_descriptors::~own_descriptors() { known_descriptors::instance().mutex.unlock(); }
PLUMBLINE_INLINE int own_descriptors::add(int fd) {
  if (fd >= 0) known_descriptors::instance().all.push_back(fd);
  return fd;
}
PLUMBLINE_INLINE void own_descriptors::close(int fd) {
  if (fd < 0) return;
  std::erase(known_descriptors::instance().all, fd);
  ::close(fd);
}

PLUMBLINE_INLINE std::shared_ptr<shared_segment> shared_segment::create(std::size_t capacity) {
  const int fd = own_descriptors().add(::memfd_create("plumbline", MFD_CLOEXEC));
  if (fd < 0) throw_shared("make shared memory", errno);
  if (::ftruncate(fd, static_cast<off_t>(capacity)) != 0) {
    const int why = errno;
    own_descriptors().close(fd);
    throw_shared("make shared memory of " + std::to_string(capacity) + " bytes", why);
  }
  return std::shared_ptr<shared_segment>(new shared_segment(fd, capacity));
}
PLUMBLINE_INLINE std::shared_ptr<shared_segment> shared_segment::open(int fd) {
  struct stat is {};
  if (::fstat(fd, &is) != 0 || static_cast<std::size_t>(is.st_size) < sizeof(shared_header)) {
    own_descriptors().close(fd);
    throw_shared("use the shared memory that another job offers: it has the wrong size", EINVAL);
  }
  return std::shared_ptr<shared_segment>(new shared_segment(fd, static_cast<std::size_t>(is.st_size)));
}
PLUMBLINE_INLINE shared_segment::shared_segment(int fd, std::size_t size) : fd_(fd), locks_(-1), size_(size) {
  // locks belong to an open file, and the descriptors that jobs give each other are one open file
  const auto path = "/proc/self/fd/" + std::to_string(fd);
  locks_ = own_descriptors().add(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const int why = errno;
  void* all = locks_ < 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  void* head = all == MAP_FAILED ? MAP_FAILED
                                 : ::mmap(nullptr, sizeof(shared_header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED) {
    const int code = locks_ < 0 ? why : errno;
    if (all != MAP_FAILED) ::munmap(all, size);
    own_descriptors both;
    both.close(locks_);
    both.close(fd);
    throw_shared("map shared memory of " + std::to_string(size) + " bytes", code);
  }
  data_ = static_cast<const std::byte*>(all);
  header_ = static_cast<shared_header*>(head);
}
PLUMBLINE_INLINE shared_segment::~shared_segment() {
  ::munmap(const_cast<std::byte*>(data_), size_);
  ::munmap(header_, sizeof(shared_header));
  own_descriptors both;
  both.close(locks_);
  both.close(fd_);
}

inline struct flock byte_lock(short type, std::size_t which) {
  struct flock l {};
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = static_cast<off_t>(which);
  l.l_len = 1;
  return l;
}
PLUMBLINE_INLINE bool shared_segment::lock(std::size_t which) const {
  auto l = byte_lock(F_WRLCK, which);
  return ::fcntl(locks_, F_OFD_SETLK, &l) == 0;
}
PLUMBLINE_INLINE void shared_segment::unlock(std::size_t which) const {
  auto l = byte_lock(F_UNLCK, which);
  ::fcntl(locks_, F_OFD_SETLK, &l);
}
PLUMBLINE_INLINE bool shared_segment::locked(std::size_t which) const {
  auto l = byte_lock(F_WRLCK, which);
  return ::fcntl(locks_, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

PLUMBLINE_INLINE void shared_segment::wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  const timespec most{0, 50'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &most, nullptr, 0);
}
PLUMBLINE_INLINE void shared_segment::notify(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace plumbline::detail
