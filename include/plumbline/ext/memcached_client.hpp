#pragma once
/// memcached_client: a connection to one memcached server, through libmemcached. For one thread at a time.
/// Private to cache(servers).

#include <libmemcached/memcached.h>

#include <plumbline/ext/server_list.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::detail {

/// The outcome of a request: done; the server refuses to store (it is full); no usable reply.
enum class reply : unsigned char { done, refused, failed };

class memcached_client {
 public:
  /// Connects at the first request. `timeout`: of each wait for the server.
  memcached_client(const server_address& server, std::chrono::milliseconds timeout)
      : client_(::memcached_create(nullptr)) {
    if (client_ == nullptr || ::memcached_result_create(client_.get(), &result_) == nullptr) throw std::bad_alloc();
    const auto set = [&](memcached_behavior_t what, std::int64_t to) {
      ::memcached_behavior_set(client_.get(), what, static_cast<std::uint64_t>(to));
    };
    const std::int64_t ms = timeout.count();
    const std::int64_t us = std::min<std::int64_t>(1000 * ms, std::numeric_limits<std::int32_t>::max());
    set(MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
    set(MEMCACHED_BEHAVIOR_NO_BLOCK, 1);
    set(MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, ms);
    set(MEMCACHED_BEHAVIOR_POLL_TIMEOUT, ms);
    set(MEMCACHED_BEHAVIOR_SND_TIMEOUT, us);
    set(MEMCACHED_BEHAVIOR_RCV_TIMEOUT, us);
    // a valid address is refused only for lack of memory
    if (::memcached_server_add(client_.get(), server.host.c_str(), server.port) != MEMCACHED_SUCCESS)
      throw std::bad_alloc();
  }
  memcached_client(const memcached_client&) = delete;
  ~memcached_client() { ::memcached_result_free(&result_); }

  /// Requests the values of some keys; receive() waits for them.
  reply request(std::span<const std::string> keys) {
    std::vector<const char*> names;
    std::vector<std::size_t> sizes;
    for (const auto& k : keys) names.push_back(k.data()), sizes.push_back(k.size());
    const auto rc = ::memcached_mget(client_.get(), names.data(), sizes.data(), keys.size());
    return rc == MEMCACHED_SUCCESS ? reply::done : failed(rc);
  }
  /// Calls `use(key, value)` for each requested key that the server has, in no stated order.
  template <class F> reply receive(F&& use) {
    auto rc = MEMCACHED_SUCCESS;
    while (::memcached_fetch_result(client_.get(), &result_, &rc) != nullptr) {
      if (rc != MEMCACHED_SUCCESS) return failed(rc);
      use(std::string_view(::memcached_result_key_value(&result_), ::memcached_result_key_length(&result_)),
          std::span(reinterpret_cast<const std::uint8_t*>(::memcached_result_value(&result_)),
                    ::memcached_result_length(&result_)));
    }
    return rc == MEMCACHED_END || rc == MEMCACHED_NOTFOUND || rc == MEMCACHED_SUCCESS ? reply::done : failed(rc);
  }
  template <class F> reply get(std::span<const std::string> keys, F&& use) {
    return request(keys) == reply::done ? receive(use) : reply::failed;
  }
  /// Stores a value, in the place of an older one.
  reply set(std::string_view key, std::span<const std::uint8_t> value) {
    const auto rc = ::memcached_set(client_.get(), key.data(), key.size(), reinterpret_cast<const char*>(value.data()),
                                    value.size(), 0, 0);
    switch (rc) {
      case MEMCACHED_SUCCESS:
      case MEMCACHED_STORED:
        return reply::done;
      case MEMCACHED_SERVER_MEMORY_ALLOCATION_FAILURE:
      case MEMCACHED_SERVER_ERROR:
      case MEMCACHED_E2BIG:
      case MEMCACHED_NOTSTORED:
        return reply::refused;
      default:
        return failed(rc);
    }
  }
  reply remove(std::string_view key) {
    const auto rc = ::memcached_delete(client_.get(), key.data(), key.size(), 0);
    return rc == MEMCACHED_SUCCESS || rc == MEMCACHED_DELETED || rc == MEMCACHED_NOTFOUND ? reply::done : failed(rc);
  }
  /// Of the last request that failed; the client must not be used again.
  const std::string& problem() const { return problem_; }
  bool timed_out() const { return timed_out_; }

 private:
  reply failed(memcached_return_t rc) {
    problem_ = ::memcached_strerror(client_.get(), rc);
    timed_out_ = rc == MEMCACHED_TIMEOUT;
    return reply::failed;
  }
  struct free_client {
    void operator()(memcached_st* c) const { ::memcached_free(c); }
  };
  std::unique_ptr<memcached_st, free_client> client_;
  memcached_result_st result_{};
  std::string problem_{};
  bool timed_out_ = false;
};

}  // namespace plumbline::detail
