#pragma once
/// memcached_client: connections to a list of memcached servers, through libmemcached. For one thread at a time.
/// Private to cache(servers).

#include <libmemcached/memcached.h>

#include <plumbline/core/hash_of.hpp>
#include <plumbline/ext/server_list.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// What came of a request: done; the server refuses to store (it is full); no usable reply.
enum class reply : unsigned char { done, refused, failed };

class memcached_client {
 public:
  /// Connects at the first request to a server. `timeout`: of each wait for it.
  memcached_client(const std::vector<server_address>& servers, std::chrono::milliseconds timeout)
      : client_(::memcached_create(nullptr)) {
    if (client_ == nullptr || ::memcached_result_create(client_.get(), &result_) == nullptr) throw std::bad_alloc();
    const auto set = [&](memcached_behavior_t what, std::int64_t to) {
      ::memcached_behavior_set(client_.get(), what, static_cast<std::uint64_t>(to));
    };
    const std::int64_t ms = timeout.count();
    set(MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
    set(MEMCACHED_BEHAVIOR_NO_BLOCK, 1);
    set(MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, ms);
    set(MEMCACHED_BEHAVIOR_POLL_TIMEOUT, ms);
    set(MEMCACHED_BEHAVIOR_SND_TIMEOUT, ms * 1000);
    set(MEMCACHED_BEHAVIOR_RCV_TIMEOUT, ms * 1000);
    for (const auto& s : servers) {
      // a valid address is refused only for lack of memory
      if (::memcached_server_add(client_.get(), s.host.c_str(), s.port) != MEMCACHED_SUCCESS) throw std::bad_alloc();
      names_.push_back(hash_of(to_string(s)));
    }
    // libmemcached chooses a server by a key; here owner() does, so a key is kept that leads to each server
    routes_.resize(servers.size());
    for (std::size_t i = 0, found = 0; found != routes_.size(); ++i) {
      auto key = std::to_string(i);
      auto& route = routes_[::memcached_generate_hash(client_.get(), key.data(), key.size())];
      if (route.empty()) route = std::move(key), ++found;
    }
  }
  memcached_client(const memcached_client&) = delete;
  ~memcached_client() { ::memcached_result_free(&result_); }

  /// The number of the server that owns the key: the one with which the key has the largest hash (rendezvous hashing;
  /// Thaler, Ravishankar, 1998). It is the same in every process; a server more or less moves no keys between the
  /// others; and all own equally many, but for chance, unlike libmemcached's ketama. O(servers).
  std::size_t owner(std::string_view key) const {
    const auto hash = hash_of(key);
    std::uint64_t most = 0;
    std::size_t owner = 0;
    for (std::size_t s = 0; s != names_.size(); ++s)
      if (const auto with = hash_combine(names_[s], hash); with >= most) most = with, owner = s;
    return owner;
  }
  /// Requests some keys from the owner of `of` and calls `use(key, value)` for each one that it has, in no stated
  /// order.
  template <class F> reply get(std::string_view of, std::span<const std::string> keys, F&& use) {
    std::vector<const char*> names;
    std::vector<std::size_t> sizes;
    for (const auto& k : keys) names.push_back(k.data()), sizes.push_back(k.size());
    const auto& to = routes_[owner(of)];
    auto rc = ::memcached_mget_by_key(client_.get(), to.data(), to.size(), names.data(), sizes.data(), keys.size());
    if (rc != MEMCACHED_SUCCESS) return failed(rc);
    while (::memcached_fetch_result(client_.get(), &result_, &rc) != nullptr) {
      if (rc != MEMCACHED_SUCCESS) return failed(rc);
      use(std::string_view(::memcached_result_key_value(&result_), ::memcached_result_key_length(&result_)),
          std::span(reinterpret_cast<const std::uint8_t*>(::memcached_result_value(&result_)),
                    ::memcached_result_length(&result_)));
    }
    return rc == MEMCACHED_END || rc == MEMCACHED_NOTFOUND || rc == MEMCACHED_SUCCESS ? reply::done : failed(rc);
  }
  /// Stores a value at the owner of `of`, in the place of an older one.
  reply set(std::string_view of, std::string_view key, std::span<const std::uint8_t> value) {
    const auto& to = routes_[owner(of)];
    const auto rc = ::memcached_set_by_key(client_.get(), to.data(), to.size(), key.data(), key.size(),
                                           reinterpret_cast<const char*>(value.data()), value.size(), 0, 0);
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
  reply remove(std::string_view of, std::string_view key) {
    const auto& to = routes_[owner(of)];
    const auto rc = ::memcached_delete_by_key(client_.get(), to.data(), to.size(), key.data(), key.size(), 0);
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
  std::vector<std::uint64_t> names_{};  ///< hashes of the servers' addresses
  std::vector<std::string> routes_{};   ///< for each of them, a key that leads to it
  memcached_result_st result_{};
  std::string problem_{};
  bool timed_out_ = false;
};

}  // namespace plumbline::detail
