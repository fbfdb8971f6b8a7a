#pragma once
/// Descriptors that a child of fork() must not keep, as it would keep a dead process's locks and names.

#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/fork_check.hpp>

#include <string>
#include <utility>

namespace plumbline::detail {

/// While this exists, no thread forks, so that a descriptor is opened and added, or removed and closed, in one step.
class own_descriptors {
 public:
  own_descriptors();
  own_descriptors(const own_descriptors&) = delete;
  ~own_descriptors();
  /// Returns fd, which children close from now on, if it is one.
  int add(int fd);
  void close(int fd);
};

/// One of own_descriptors, closed at the end. A child of fork() has closed its parent's already, and may use their
/// numbers for files of its own: there it is -1, with which every system call fails.
class descriptor {
 public:
  explicit descriptor(int fd = -1) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)), opened_(other.opened_) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(opened_, other.opened_);
    return *this;
  }
  ~descriptor() {
    if (get() >= 0) own_descriptors().close(fd_);
  }
  int get() const { return opened_.lost() ? -1 : fd_; }

 private:
  int fd_;
  fork_check opened_{true};
};

/// Throws std::system_error: "plumbline: <kind>: cannot <what>: <errno text>".
[[noreturn]] void throw_shared(const std::string& kind, const std::string& what, int code);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ipc/descriptor_inl.hpp>
#endif
