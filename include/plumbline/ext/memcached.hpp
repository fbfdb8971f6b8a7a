#pragma once
/// cache(servers): keeps the elements that fit in the memory of memcached servers, so that the memory of several
/// machines is one cache: an element that is not there is made, and any process finds it there afterwards. The rules
/// are those of cache(bytes): the stream must be indexed. Elements must be `storable` (data/codec.hpp), of at most
/// 1 GiB; each has a checksum.
///   auto kept = pl::cache(pl::servers{"node1:11211", "node2:11211"});
///   auto p = pl::files("*.jpg") | pl::shuffle(1) | pl::read_file() | kept | pl::map(pl::decode());
/// Run the servers without eviction: `memcached -M -m <MB>`. Each element belongs to one server, by a consistent
/// (rendezvous) hash of its key; the key has the pipeline before the cache, so pipelines never meet (see cache(folder)
/// for what cannot be seen of one: change `version` then).
/// A server that is dead, slow, full or restarted empty costs time, never an element: what it owns is made again. One
/// that fails is left alone for `retry`, then tried by one thread. A run starts even if no server answers; each
/// server's first failure is written to stderr, and explain(p) shows what was asked of each.
/// Requests wait on I/O threads. Cost: one round trip for each element that is found, two for one that is kept; small
/// elements of one message are requested together, about 512 KiB and at most 63 elements at once, from all servers at
/// the same time. Memory: for each I/O thread a connection to each server, and twice the replies to such a request.
/// Link libmemcached (-lmemcached); with CMake, plumbline::memcached.

#include <plumbline/ext/server_group.hpp>
#include <plumbline/ops/stored_cache.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct server_options {
  std::uint64_t version = 0;               ///< of what the functions before the cache do
  std::chrono::milliseconds timeout{500};  ///< of each wait for a server
  std::chrono::milliseconds retry{
      10'000};  ///< how long a server that failed is not asked, and one that is full not sent to
};

namespace detail {

/// Elements by index, on servers.
template <class T> class server_store {
 public:
  server_store(std::shared_ptr<server_group> servers, std::string prefix)
      : servers_(std::move(servers)), prefix_(std::move(prefix)) {}

  /// How many elements to request together: those that follow in a message.
  std::size_t at_once() const {
    constexpr std::uint64_t most = 32;
    const auto each = element_bytes_.load(std::memory_order_relaxed);
    return each == 0 ? 1 : std::clamp<std::uint64_t>(most_bytes / each, 1, most);
  }
  /// Requests these elements together, for this thread's next calls of find().
  void ask_ahead(std::span<const std::uint64_t> indices) const {
    auto& all = ahead();
    if (all[0].by != number_) std::swap(all[0], all[1]);  // the older of the two is replaced
    auto& asked = all[0];
    std::vector<std::string> keys;
    for (const auto i : indices) keys.push_back(prefix_ + std::to_string(i));
    asked.by = 0;  // until it is complete: old replies are not those of these elements
    asked.indices.assign(indices.begin(), indices.end());
    std::size_t held = 0;
    for (const auto& r : asked.replies) held += r.bytes.capacity();
    if (held > 4 * most_bytes) asked.replies.clear();  // after elements that were larger than the one before them
    asked.replies.resize(std::max(asked.replies.size(), keys.size()));
    servers_->find_several(keys, std::span(asked.replies).first(keys.size()));
    asked.by = number_;
  }
  bool lacks(std::uint64_t i) const {
    const auto* known = replied(i);
    return known != nullptr && known->state == looked_up::missing;
  }
  std::optional<T> find(std::uint64_t i) const {
    if (auto* known = replied(i)) {
      const auto state = std::exchange(known->state, looked_up::unknown);
      if (state == looked_up::missing) return std::nullopt;
      if (state == looked_up::found) return made_of(known->bytes, prefix_ + std::to_string(i));
    }
    const auto key = prefix_ + std::to_string(i);
    auto& bytes = buffer();
    const release_large after{bytes};
    if (!servers_->find(key, bytes)) return std::nullopt;
    return made_of(bytes, key);
  }
  void keep(std::uint64_t i, const T& x) {
    auto& bytes = buffer();
    const release_large after{bytes};
    bytes.assign(sizeof(piece_head), 0);
    byte_writer to(bytes);
    codec<T>::encode(x, to);
    element_bytes_.store(bytes.size(), std::memory_order_relaxed);
    servers_->keep(prefix_ + std::to_string(i), bytes);
  }

 private:
  static constexpr std::uint64_t most_bytes = std::uint64_t{512} << 10;  ///< about, that are requested together
  std::optional<T> made_of(const std::vector<std::uint8_t>& bytes, const std::string& key) const {
    element_bytes_.store(bytes.size() + sizeof(piece_head), std::memory_order_relaxed);
    try {
      byte_reader from(bytes.data(), bytes.size());
      return decoded<T>(from);
    } catch (const std::exception&) {  // it is made again
      servers_->count_damaged(key);
      return std::nullopt;
    }
  }
  /// What this thread has requested and not used yet. `by`: the store's number, as its address may be another's later.
  struct requested {
    std::uint64_t by = 0;
    std::vector<std::uint64_t> indices{};
    std::vector<looked_up> replies{};
  };
  /// Of two stores, the later one first: one may be asked for what the other lacks.
  static std::array<requested, 2>& ahead() {
    static thread_local std::array<requested, 2> here;
    return here;
  }
  /// The reply for an element that was requested together with others, or null.
  looked_up* replied(std::uint64_t i) const {
    for (auto& asked : ahead()) {
      if (asked.by != number_) continue;
      const auto at = std::find(asked.indices.begin(), asked.indices.end(), i);
      if (at != asked.indices.end()) return &asked.replies[static_cast<std::size_t>(at - asked.indices.begin())];
    }
    return nullptr;
  }
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  static std::vector<std::uint8_t>& buffer() {
    static thread_local std::vector<std::uint8_t> bytes;
    return bytes;
  }
  std::shared_ptr<server_group> servers_;
  std::string prefix_;
  const std::uint64_t number_ = next_number();
  mutable std::atomic<std::uint64_t> element_bytes_{0};  // of one of the last; 0: none was seen
};

/// Of 16 digits.
inline std::string hex(std::uint64_t x) {
  std::string out(16, '0');
  for (auto at = out.rbegin(); x != 0; x >>= 4U) *at++ = "0123456789abcdef"[x & 15U];
  return out;
}

}  // namespace detail

struct cache_on_servers_op : stored_part_cache_op {
  static constexpr bool blocking = true;
  std::shared_ptr<detail::server_group> servers;

  /// What was asked of each server so far, by all runs of pipelines with this cache in this process.
  std::vector<server_counts> counts() const { return servers->counts(); }
  /// How explain() shows the operator, and what it shows of its runs so far.
  std::string label() const { return "cache(" + std::to_string(counts().size()) + " servers)"; }
  std::string report() const {
    std::vector<std::vector<std::string>> rows{
        {"server", "found", "missing", "damaged", "kept", "refused", "failed", "not asked", "last failure"}};
    const auto text = [](std::uint64_t n) { return std::to_string(n); };
    for (const auto& s : counts())
      rows.push_back({s.server, text(s.found), text(s.missing), text(s.damaged), text(s.kept), text(s.refused),
                      text(s.failed), text(s.not_asked), (s.down ? "down: " : "") + s.problem});
    return detail::table(rows);
  }

  template <class In> using store = detail::server_store<In>;
  template <class In> auto open_store(std::uint64_t, const replay_context& cx) const {
    return std::make_shared<store<In>>(servers, "plumbline1:" + detail::hex(hash_combine(cx.upstream, version)) + ":");
  }
};

/// Throws std::invalid_argument if a time is not positive.
inline auto cache(const servers& at, server_options how = {}) {
  if (how.timeout.count() <= 0 || how.timeout > std::chrono::hours(1) || how.retry.count() <= 0 ||
      how.retry > std::chrono::hours(24 * 365))
    throw std::invalid_argument(
        "plumbline: cache(servers): timeout must be from 1 ms to 1 h, and retry from 1 ms to a year; leave them out "
        "for 500 ms and 10 s");
  return cache_on_servers_op{{{{}, how.version}},
                             std::make_shared<detail::server_group>(at.addresses(), how.timeout, how.retry)};
}

}  // namespace plumbline
