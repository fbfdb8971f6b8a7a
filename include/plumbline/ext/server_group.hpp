#pragma once
/// server_group: elements as bytes in the memory of several memcached servers, with what is known of each server.
/// Called from many threads at once; private to cache(servers). A server that fails costs time, never an element: what
/// it has is not found, and what it owns is not kept, until it answers again.

#include <plumbline/ext/key_owners.hpp>
#include <plumbline/ext/memcached_pieces.hpp>
#include <plumbline/ext/server_counts.hpp>
#include <plumbline/ipc/fork_check.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::detail {

class server_group {
 public:
  server_group(const std::vector<server_address>& servers, std::chrono::milliseconds timeout,
               std::chrono::milliseconds retry)
      : owners_(servers), timeout_(timeout), retry_(retry), idle_(new connections(servers.size())) {
    for (const auto& a : servers) {
      auto& s = servers_.emplace_back();
      s.address = a, s.name = to_string(a);
    }
  }
  server_group(const server_group&) = delete;
  ~server_group() {
    auto* mine = idle_.load();
    if (!mine->made_in.lost()) delete mine;
  }

  /// Reads the element with this key into `to`; false if it is not there.
  bool find(const std::string& key, std::vector<std::uint8_t>& to) {
    bool has = false, damaged = false;
    const auto number = owners_.owner(key);
    auto& s = servers_[number];
    if (!ask(number, [&](memcached_client& c) {
          has = damaged = false;
          return read_pieces(c, key, to, has, damaged);
        }))
      return false;
    ++(has ? s.found : s.missing);
    if (damaged) ++s.damaged;
    return has;
  }
  /// Requests several elements, all of a server in one round trip, and from all servers before the first reply. What a
  /// server has that fails is missing. Writes over what `to` holds, which has a place for each, so that its memory is
  /// used again. O(keys x servers).
  void find_several(std::span<const std::string> keys, std::span<looked_up> to) {
    struct question {
      std::vector<std::string> keys{};
      std::vector<looked_up*> replies{};
      std::optional<lease> client{};
      reply sent = reply::failed;
    };
    std::vector<question> all(servers_.size());
    for (std::size_t k = 0; k != keys.size(); ++k) {
      auto& q = all[owners_.owner(keys[k])];
      q.keys.push_back(keys[k]), q.replies.push_back(&to[k]);
      to[k].state = looked_up::missing;
    }
    for (std::size_t s = 0; s != all.size(); ++s)
      if (auto& q = all[s]; !q.keys.empty() && may_ask(servers_[s], q.keys.size())) {
        q.client.emplace(*this, s);
        q.sent = (**q.client).request(q.keys);
      }
    for (std::size_t s = 0; s != all.size(); ++s) {
      auto& q = all[s];
      bool again = false;
      if (!q.client || !answered(servers_[s], *q.client, [&](memcached_client& c) {
            if (std::exchange(again, true)) q.sent = c.request(q.keys);
            return q.sent == reply::failed ? q.sent : receive_several(c, q.keys, q.replies);
          }))
        continue;
      for (const auto* r : q.replies) {
        servers_[s].found += r->state == looked_up::found ? 1U : 0U;
        servers_[s].missing += r->state == looked_up::missing ? 1U : 0U;
      }
    }
  }
  /// Keeps an element, unless the server that owns it is full or fails. `bytes` begins with room for a piece_head.
  void keep(const std::string& key, std::vector<std::uint8_t>& bytes) {
    const auto number = owners_.owner(key);
    auto& s = servers_[number];
    // a server that has no memory for large elements may have some for small ones
    if (bytes.size() - sizeof(piece_head) > element_bytes ||
        (now() < s.full_until && bytes.size() >= s.refused_bytes)) {
      ++s.refused;
      return;
    }
    auto written = reply::failed;
    if (!ask(
            number, [&](memcached_client& c) { return written = write_pieces(c, key, bytes); }, 0))
      return;
    ++(written == reply::done ? s.kept : s.refused);
    if (written != reply::refused) return;
    s.refused_bytes = now() < s.full_until ? std::min<std::uint64_t>(s.refused_bytes, bytes.size()) : bytes.size();
    s.full_until = now() + retry_.count();
  }
  /// An element that was found could not be decoded.
  void count_damaged(const std::string& key) {
    auto& s = servers_[owners_.owner(key)];
    --s.found, ++s.missing, ++s.damaged;
  }

  std::vector<server_counts> counts() const {
    std::vector<server_counts> out;
    for (const auto& s : servers_) {
      const std::scoped_lock lock(s.mutex);
      out.push_back({s.name, s.found, s.missing, s.damaged, s.kept, s.refused, s.failed, s.not_asked, s.down_until != 0,
                     s.problem});
    }
    return out;
  }

 private:
  struct server {
    server_address address{};
    std::string name{};
    std::atomic<std::uint64_t> found{0}, missing{0}, damaged{0}, kept{0}, refused{0}, failed{0}, not_asked{0};
    std::atomic<std::int64_t> down_until{0};      ///< when to ask it again, in ms; 0: it answers
    std::atomic<std::int64_t> full_until{0};      ///< when to send it elements again as large as it refused
    std::atomic<std::uint64_t> refused_bytes{0};  ///< the smallest that it refused in that time
    mutable std::mutex mutex{};                   ///< guards what follows
    std::string problem{};
  };
  /// Of each server, a client for each thread that asks at once. A child of fork() leaves those of its parent alone,
  /// open: libmemcached would end their sessions, which are the parent's.
  struct connections {
    explicit connections(std::size_t servers) : all(servers) {}
    fork_check made_in{true};
    std::mutex mutex{};
    std::vector<std::vector<std::unique_ptr<memcached_client>>> all;
  };
  connections& idle() {
    auto* those = idle_.load();
    if (!those->made_in.lost()) return *those;
    auto fresh = std::make_unique<connections>(servers_.size());
    if (idle_.compare_exchange_strong(those, fresh.get())) return *fresh.release();
    return *those;
  }
  /// A server's client for this thread. Given back at the end, unless it failed or an exception left replies in it.
  class lease {
   public:
    lease(server_group& from, std::size_t number) : from_(from), number_(number), pool_(from.idle()) {
      {
        const std::scoped_lock lock(pool_.mutex);
        if (auto& mine = pool_.all[number]; !mine.empty()) {
          client_ = std::move(mine.back());
          mine.pop_back();
        }
      }
      used = client_ != nullptr;
      if (!used) renew();
    }
    ~lease() {
      if (client_ == nullptr || std::uncaught_exceptions() > unwinding_) return;
      const std::scoped_lock lock(pool_.mutex);
      pool_.all[number_].push_back(std::move(client_));
    }
    lease(const lease&) = delete;
    void renew() {
      client_ = std::make_unique<memcached_client>(from_.servers_[number_].address, from_.timeout_);
      used = false;
    }
    void discard() { client_ = nullptr; }
    bool used = false;  ///< before
    memcached_client& operator*() const { return *client_; }

   private:
    server_group& from_;
    std::size_t number_;
    connections& pool_;
    std::unique_ptr<memcached_client> client_{};
    int unwinding_ = std::uncaught_exceptions();
  };
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// False if the server is left alone now; then so many elements were not asked for.
  bool may_ask(server& s, std::size_t elements) {
    auto when = s.down_until.load();
    // when it is time, one thread tries; the others leave the server alone until that has worked
    const bool may = when == 0 || (now() >= when && s.down_until.compare_exchange_strong(when, now() + retry_.count()));
    if (!may) s.not_asked += elements;
    return may;
  }
  /// Calls `request(client)`, and once more on a new connection where an old one failed. True if it was answered.
  template <class F> bool answered(server& s, lease& c, F&& request) {
    auto r = request(*c);
    if (r == reply::failed && c.used && !(*c).timed_out()) {  // the server may have been restarted meanwhile
      c.renew();
      r = request(*c);
    }
    if (r == reply::failed) {
      failed(s, (*c).problem());
      c.discard();
      return false;
    }
    if (s.down_until.load(std::memory_order_relaxed) != 0) s.down_until = 0;
    return true;
  }
  template <class F> bool ask(std::size_t number, F&& request, std::size_t elements = 1) {
    if (!may_ask(servers_[number], elements)) return false;
    lease c(*this, number);
    return answered(servers_[number], c, request);
  }
  void failed(server& s, const std::string& problem) {
    s.down_until = now() + retry_.count();
    bool first = false;
    {
      const std::scoped_lock lock(s.mutex);
      s.problem = problem;
      first = s.failed++ == 0;
    }
    if (first)  // without the lock, as writing may wait
      std::fprintf(stderr,
                   "plumbline: cache(servers): %s: %s; its elements are made again meanwhile, and it is asked again "
                   "every %g s\n",
                   s.name.c_str(), problem.c_str(), static_cast<double>(retry_.count()) / 1000);
  }

  key_owners owners_;
  std::chrono::milliseconds timeout_, retry_;
  std::deque<server> servers_{};
  std::atomic<connections*> idle_;
};

}  // namespace plumbline::detail
