#pragma once
/// bounded_server: an httplib::Server that answers one request for each connection and reads no body. A client has
/// 2 s and 8 KiB for its request, and 2 s to take what is answered: httplib itself reads a line of any length into
/// memory, and waits as long as a byte comes every 5 s. Headers are not used, as one can ask for the same bytes
/// thousands of times (Range). Private to serve_metrics.

#include <httplib.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline::detail {

class bounded_server final : public httplib::Server {
  static constexpr std::size_t most_bytes = 8192;
  static constexpr std::chrono::milliseconds most_time{2000};

  /// Waits until the socket is ready for `what`; false at `end`, or when the server is stopped.
  bool ready(socket_t with, short what, std::chrono::steady_clock::time_point end) const {
    pollfd one{with, what, 0};
    while (svr_sock_ != INVALID_SOCKET) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      const int found = ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, 50)));
      if (found > 0) return true;
      if (found < 0 && errno != EINTR) return false;
    }
    return false;
  }
  /// Receives the request line and the headers, up to the empty line that ends them. Returns false if it does not
  /// arrive within the limits; `request` then holds what was received.
  bool reads(socket_t with, std::string& request) const {
    const auto end = std::chrono::steady_clock::now() + most_time;
    while (request.size() < most_bytes && ready(with, POLLIN, end)) {
      const auto had = request.size();
      request.resize(most_bytes);
      const auto n = ::recv(with, request.data() + had, most_bytes - had, MSG_DONTWAIT);
      request.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
      const auto whole = request.find("\n\r\n", had - std::min<std::size_t>(had, 2));
      if (whole == std::string::npos) continue;
      request.resize(whole + 3);
      return true;
    }
    return false;
  }
  void sends(socket_t with, std::string_view answer) const {
    const auto end = std::chrono::steady_clock::now() + most_time;
    while (!answer.empty() && ready(with, POLLOUT, end)) {
      const auto n = ::send(with, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return;
      answer.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
  }
  bool process_and_close_socket(socket_t with) override {
    std::string request;
    const bool whole = reads(with, request);
    if (whole) {
      sends(with, answer(request.substr(0, request.find('\n') + 1) + "\r\n"));
    } else if (request.size() == most_bytes) {
      sends(with, "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    }
    ::shutdown(with, SHUT_RDWR);
    ::close(with);
    return whole;
  }
  /// What httplib answers to a request without headers.
  template <class Stream = httplib::detail::BufferStream> std::string answer(const std::string& request) {
    Stream both;  // what is written comes after the request
    both.write(request.data(), request.size());
    bool closed = false;
    if constexpr (requires { this->process_request(both, true, closed, nullptr); })
      this->process_request(both, true, closed, nullptr);
    else  // later versions want the addresses of both sides
      this->process_request(both, "", 0, "", 0, true, closed, nullptr);
    return both.get_buffer().substr(request.size());
  }
};

}  // namespace plumbline::detail
