#pragma once
/// Definitions of ipc/rendezvous.hpp.

#include <plumbline/core/hash_of.hpp>
#include <plumbline/ipc/rendezvous.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace plumbline::detail {

/// The address of a name's part, within its 107 bytes: a long name is shortened and made unique by its hash.
struct abstract_address {
  sockaddr_un address{};
  socklen_t size;
  abstract_address(const std::string& kind, const std::string& name, const std::string& part) {
    address.sun_family = AF_UNIX;
    const auto text = "plumbline." + std::to_string(::getuid()) + "." + kind + "." + part + "." +
                      std::to_string(hash_of(std::string_view(name))) + "." + name.substr(0, 32);
    std::copy(text.begin(), text.end(), address.sun_path + 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};
inline descriptor local_socket(const std::string& kind) {
  descriptor s(own_descriptors().add(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
  if (s.get() < 0) throw_shared(kind, "open a socket", errno);
  return s;
}
/// A socket bound to this address; none if it is taken.
inline descriptor bound_to(const std::string& kind, const std::string& name, const std::string& part) {
  auto s = local_socket(kind);
  const abstract_address at(kind, name, part);
  if (::bind(s.get(), at.get(), at.size) == 0) return s;
  if (errno != EADDRINUSE) throw_shared(kind, "bind a socket", errno);
  return descriptor();
}
inline bool same_user(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == ::getuid();
}
inline bool readable(int fd, int ms) {
  pollfd on{fd, POLLIN, 0};
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  for (;;) {  // a signal interrupts poll: it continues with the remaining time
    const int n = ::poll(&on, 1, ms);
    if (n >= 0 || errno != EINTR) return n > 0;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    ms = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }
}
/// A message of one byte, with room for a descriptor.
struct descriptor_message {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr head{};
  descriptor_message() {
    head.msg_iov = &data, head.msg_iovlen = 1;
    head.msg_control = room.data(), head.msg_controllen = room.size();
  }
  descriptor_message(const descriptor_message&) = delete;
};
inline void send_descriptor(int socket, int fd) {
  descriptor_message m;
  cmsghdr* const part = CMSG_FIRSTHDR(&m.head);
  part->cmsg_level = SOL_SOCKET, part->cmsg_type = SCM_RIGHTS, part->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
  ::sendmsg(socket, &m.head, MSG_NOSIGNAL);
}
inline descriptor received_descriptor(int socket) {
  descriptor_message m;
  own_descriptors own;
  if (::recvmsg(socket, &m.head, MSG_CMSG_CLOEXEC) <= 0) return descriptor();
  const cmsghdr* const part = CMSG_FIRSTHDR(&m.head);
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return descriptor();
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
  return descriptor(own.add(fd));
}

/// What the others of a name answered.
struct answers {
  descriptor file{};
  bool unanswered = false;  ///< one is there, and did not answer
};
inline answers ask_the_others(const std::string& kind, const std::string& name) {
  answers all;
  for (std::size_t n = 0; n != rendezvous::most && all.file.get() < 0; ++n) {
    const auto s = local_socket(kind);
    const abstract_address at(kind, name, std::to_string(n));
    if (::connect(s.get(), at.get(), at.size) != 0) {
      all.unanswered = all.unanswered || errno == EAGAIN;
      continue;
    }
    if (!same_user(s.get())) continue;
    if (readable(s.get(), 2000)) all.file = received_descriptor(s.get());
    // a process that has just ended closes the connection; one that is stopped keeps it
    all.unanswered = all.unanswered || (all.file.get() < 0 && !readable(s.get(), 0));
  }
  return all;
}
/// Held while a process of this name looks for the others. Throws std::runtime_error after a minute.
inline descriptor turn_of(const std::string& kind, const std::string& name) {
  const auto since = std::chrono::steady_clock::now();
  for (;;) {
    if (auto mine = bound_to(kind, name, "joining"); mine.get() >= 0) return mine;
    if (std::chrono::steady_clock::now() - since > std::chrono::minutes(1))
      throw std::runtime_error("plumbline: " + kind + ": another process of \"" + name +
                               "\" has been joining for a minute; is one of them stopped?");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

PLUMBLINE_INLINE rendezvous::rendezvous(const std::string& kind, const std::string& name, const opener& open,
                                        const initializer& begin)
    : stopped_(own_descriptors().add(::eventfd(0, EFD_CLOEXEC))) {
  if (stopped_.get() < 0) throw_shared(kind, "make an eventfd", errno);
  const auto turn = turn_of(kind, name);
  auto found = ask_the_others(kind, name);
  if (found.file.get() < 0 && found.unanswered)
    throw std::runtime_error("plumbline: " + kind + ": there are processes of \"" + name +
                             "\", and none answers; are they stopped? End them, or choose another name");
  file_ = open(std::move(found.file));
  for (; number_ != most; ++number_) {
    if (file_->locked(number_)) continue;
    auto mine = bound_to(kind, name, std::to_string(number_));
    if (mine.get() < 0 || !file_->lock(number_)) continue;
    if (begin) begin(number_);
    if (::listen(mine.get(), 64) != 0) throw_shared(kind, "listen on a socket", errno);
    listening_ = std::move(mine);
    return;
  }
  throw std::runtime_error("plumbline: " + kind + ": there are " + std::to_string(most) + " processes of \"" + name +
                           "\" already, which is the most");
}
PLUMBLINE_INLINE rendezvous::~rendezvous() {
  listening_ = descriptor();
  file_->unlock(number_);
}
PLUMBLINE_INLINE void rendezvous::stop() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stopped_.get(), &one, sizeof one));
}
PLUMBLINE_INLINE bool rendezvous::serve(int ms) {
  std::array<pollfd, 2> on{pollfd{stopped_.get(), POLLIN, 0}, pollfd{listening_.get(), POLLIN, 0}};
  if (::poll(on.data(), on.size(), ms) <= 0) return true;
  if (on[0].revents != 0) {
    listening_ = descriptor();  // a process that asks from now on would get no answer
    return false;
  }
  const descriptor asking = [&] {
    own_descriptors own;
    return descriptor(own.add(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
  }();
  if (asking.get() < 0)
    ::poll(on.data(), 1, 50);  // no descriptors are left, perhaps; the process that asks is still there
  else if (same_user(asking.get()))
    send_descriptor(asking.get(), file_->descriptor_number());
  return true;
}

}  // namespace plumbline::detail
