#pragma once
/// serve_metrics(stream): the stream's figures over HTTP, by cpp-httplib (target plumbline::httplib).
///   const auto server = pl::serve_metrics(stream, {.port = 9464});
///   curl http://127.0.0.1:9464/metrics        OpenMetrics, for Prometheus
///   curl http://127.0.0.1:9464/stats          the same as JSON

#include <plumbline/exec/stream.hpp>
#include <plumbline/exec/stream_watch.hpp>
#include <plumbline/ext/bounded_server.hpp>
#include <plumbline/watch/open_metrics.hpp>
#include <plumbline/watch/stats_text.hpp>

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace plumbline {

struct metrics_options {
  std::uint16_t port = 9464;          ///< 0: any that is free; metrics_server::port() says which
  std::string address = "127.0.0.1";  ///< only this machine; "0.0.0.0" is every network that the machine is in
  metric_labels labels{};             ///< of each metric
};

/// Serves until it is destroyed.
class metrics_server {
 public:
  metrics_server(stream_watch of, metrics_options how)
      : state_(std::make_unique<state>(std::move(of), std::move(how))) {}
  metrics_server(metrics_server&&) noexcept = default;
  metrics_server& operator=(metrics_server&&) noexcept = default;
  std::uint16_t port() const { return state_->port; }

 private:
  struct state {
    stream_watch of;
    metrics_options how;
    detail::bounded_server server{};
    std::uint16_t port = 0;
    std::atomic<bool> ended = false;  ///< nothing is served any more, as accept failed
    std::thread thread{};

    state(stream_watch s, metrics_options o) : of(std::move(s)), how(std::move(o)) {
      static_cast<void>(open_metrics({}, how.labels));  // throws for labels that are not legal
      server.new_task_queue = [] { return new httplib::ThreadPool(2); };
      server.set_socket_options([](socket_t opened) {  // without SO_REUSEPORT, which lets two programs share a port
        const int on = 1;
        ::setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      });
      server.set_pre_routing_handler([](const httplib::Request& asked, httplib::Response& to) {
        using is = httplib::Server::HandlerResponse;
        if (asked.method == "GET" || asked.method == "HEAD") return is::Unhandled;
        to.status = 405;
        to.set_header("Allow", "GET, HEAD");
        to.set_content("only GET and HEAD are served\n", "text/plain");
        return is::Handled;
      });
      serve("/metrics", open_metrics_type, [this](const auto& now) { return open_metrics(now, how.labels); });
      serve("/stats", "application/json", [](const auto& now) { return write_stats(now) + '\n'; });
      if (how.port == 0) {
        const int any = server.bind_to_any_port(how.address);
        if (any > 0) port = static_cast<std::uint16_t>(any);
      } else if (server.bind_to_port(how.address, how.port)) {
        port = how.port;
      }
      if (port == 0)
        throw std::runtime_error("plumbline: serve_metrics: " + how.address + ":" + std::to_string(how.port) +
                                 " cannot be listened on; is the port in use? port = 0 takes any that is free");
      thread = std::thread([this] {
        server.listen_after_bind();
        ended = true;
      });
    }
    state(const state&) = delete;
    ~state() {
      while (!server.is_running() && !ended) std::this_thread::yield();  // stop() has no effect before
      server.stop();
      thread.join();
    }
    template <class F> void serve(const char* path, std::string_view type, F text) {
      server.Get(path, [this, type = std::string(type), text](const httplib::Request&, httplib::Response& to) {
        const auto now = of.stats();
        if (now) return to.set_content(text(*now), type);
        to.status = 503;
        to.set_content("the stream has ended\n", "text/plain");
      });
    }
  };
  std::unique_ptr<state> state_;
};

/// Serves /metrics (OpenMetrics) and /stats (JSON, write_stats) from three threads, without encryption or passwords,
/// until the result is destroyed; 503 once the stream is destroyed. A request costs what stats() costs. Errors:
/// std::runtime_error if the address cannot be listened on, std::invalid_argument as open_metrics.
template <class T> [[nodiscard]] metrics_server serve_metrics(const stream<T>& s, metrics_options how = {}) {
  return metrics_server(s.watch(), std::move(how));
}

}  // namespace plumbline
