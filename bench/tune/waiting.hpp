#pragma once
/// Pipelines whose functions wait: for a timer, for files that the page cache does not hold, for a server, among
/// functions that compute, before and after a filter. What does optimize predict and gain over run with all cores?

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/report.hpp"
#include "support/stream_rate.hpp"
#include "tests/support/temp_folder.hpp"
#include "tune/predictions.hpp"

namespace waiting_bench {
namespace pl = plumbline;

inline auto sleeps(int us) {
  return [us](std::int64_t x) {
    std::this_thread::sleep_for(std::chrono::microseconds(us));
    return x;
  };
}
inline auto computes(int turns) {
  return [turns](std::int64_t x) {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != turns; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  };
}

/// Answers each request of 8 bytes with the same after 2 ms, on a thread for each connection.
class server {
 public:
  server() : listening_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(a);
    if (bind(listening_, reinterpret_cast<sockaddr*>(&a), size) != 0 || listen(listening_, 128) != 0 ||
        getsockname(listening_, reinterpret_cast<sockaddr*>(&a), &size) != 0)
      throw std::system_error(errno, std::generic_category(), "a server on the loopback");
    address_ = a;
    accepting_ = std::jthread([this] {
      for (;;) {
        const int client = accept(listening_, nullptr, nullptr);
        if (client < 0) return;
        const int one = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        clients_.emplace_back([client] {
          for (char request[8]; recv(client, request, sizeof(request), MSG_WAITALL) == sizeof(request);) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (send(client, request, sizeof(request), MSG_NOSIGNAL) < 0) break;
          }
          close(client);
        });
      }
    });
  }
  ~server() {
    shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    close(listening_);
  }
  /// Asks over a connection of the calling thread's own.
  std::int64_t ask(std::int64_t x) const {
    struct connection {
      int fd = -1;
      ~connection() { close(fd); }
    };
    static thread_local connection own;
    if (own.fd < 0) {
      own.fd = socket(AF_INET, SOCK_STREAM, 0);
      const int one = 1;
      setsockopt(own.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
      if (connect(own.fd, reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)) != 0)
        throw std::system_error(errno, std::generic_category(), "connect");
    }
    std::int64_t answer = 0;
    if (send(own.fd, &x, sizeof(x), MSG_NOSIGNAL) != sizeof(x) ||
        recv(own.fd, &answer, sizeof(answer), MSG_WAITALL) != sizeof(answer))
      throw std::system_error(errno, std::generic_category(), "the server did not answer");
    return answer;
  }

 private:
  int listening_;
  sockaddr_in address_{};
  std::vector<std::jthread> clients_{};
  std::jthread accepting_{};
};

/// Files that are read past the page cache, by a function of the user's own.
struct cold_files : plumbline_test::temp_folder {
  static constexpr std::size_t count = 64, bytes = std::size_t{1} << 20;
  cold_files() {
    for (std::size_t i = 0; i != count; ++i) write(std::to_string(i), std::string(bytes, static_cast<char>(i)));
    sync();
  }
  auto reader() const {
    return [folder = path()](std::int64_t i) {
      const std::string name = folder + "/" + std::to_string(static_cast<std::size_t>(i) % count);
      const int fd = open(name.c_str(), O_RDONLY | O_DIRECT);
      if (fd < 0) throw std::system_error(errno, std::generic_category(), name);
      alignas(4096) static thread_local char block[std::size_t{1} << 16];
      const auto at = static_cast<off_t>(pl::hash_combine(1, static_cast<std::uint64_t>(i)) % 16 * sizeof(block));
      const auto got = pread(fd, block, sizeof(block), at);
      close(fd);
      if (got <= 0) throw std::system_error(errno, std::generic_category(), name);
      return i + block[0];
    };
  }
};

class trial {
 public:
  trial(bench::report& r, const bench::options& o)
      : report_(r), rounds_(o.rounds_or(5, 3)), seconds_(o.quick ? 0.5 : 2) {}

  template <class P> void one(const std::string& name, const P& p) {
    pl::optimize_options o;
    o.run.threads = 2;
    o.caches = false;
    o.seconds = 4 * seconds_;
    o.progress = [](const std::string&) {};
    auto tuned = pl::optimize(p, o);
    auto as_written = pl::run(p, {.threads = 2});
    const auto t = bench::in_turns(
        {[&] { return bench::rate_of(as_written, seconds_); }, [&] { return bench::rate_of(tuned, seconds_); }},
        rounds_);
    report_.table(name, "minibatches/s", 1, {{"run, 2 threads", t[0]}, {"optimized", t[1]}});
    std::cout << "  " << bench::fixed(bench::ratio(t[1], t[0]).median(), 2) << " times the rate; "
              << all_.add(report_, name, tuned.plan().rate, t, t[1]) << "; " << tuned.plan().bottleneck << "; "
              << tuned.plan().io_threads << " I/O threads\n";
  }
  void check_targets() {
    report_.at_most("error of the prediction of waiting maps, worst, %", all_.worst_percent(), 10, 1, all_.disturbed());
  }

 private:
  bench::report& report_;
  std::size_t rounds_;
  double seconds_;
  predictions all_{};
};

inline void run_all(bench::report& report, const bench::options& o) {
  constexpr std::int64_t many = std::int64_t{1} << 40;
  trial t(report, o);
  t.one("a map that sleeps 1 ms", pl::range(many) | pl::map(sleeps(1000)) | pl::batch<8>());
  const cold_files files;
  t.one("a map that reads 64 KiB past the page cache", pl::range(many) | pl::map(files.reader()) | pl::batch<8>());
  const server service;
  t.one("a map that asks a server on the loopback, which takes 2 ms",
        pl::range(many) | pl::map([&](std::int64_t x) { return service.ask(x); }) | pl::batch<8>());
  t.one("1 ms of waiting between two maps that compute", pl::range(many) | pl::map(computes(60'000)) |
                                                             pl::map(sleeps(1000)) | pl::map(computes(60'000)) |
                                                             pl::batch<8>());
  t.one("0.5 ms before a filter that keeps half, 2 ms after it",
        pl::range(many) | pl::map(sleeps(500)) | pl::filter([](std::int64_t x) { return x % 2 == 0; }) |
            pl::map(sleeps(2000)) | pl::batch<8>());
  t.check_targets();
}

}  // namespace waiting_bench
