#pragma once
/// Definitions of ipc/descriptor.hpp. Linux.

#include <plumbline/ipc/descriptor.hpp>

#include <mutex>
#include <system_error>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace plumbline::detail {

[[noreturn]] PLUMBLINE_INLINE void throw_shared(const std::string& kind, const std::string& what, int code) {
  throw std::system_error(code, std::generic_category(), "plumbline: " + kind + ": cannot " + what);
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

}  // namespace plumbline::detail
