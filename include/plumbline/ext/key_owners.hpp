#pragma once
/// key_owners: which server owns a key, by rendezvous hashing (Thaler, Ravishankar, 1998): the one with which the key
/// has the largest hash. It is the same in every process; adding or removing a server moves no key between the
/// others; and each owns about the same number, unlike with libmemcached's ketama. Private to cache(servers).

#include <plumbline/core/hash_of.hpp>
#include <plumbline/ext/server_list.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plumbline::detail {

class key_owners {
 public:
  explicit key_owners(const std::vector<server_address>& servers) {
    for (const auto& s : servers) hashes_.push_back(hash_of(to_string(s)));
  }
  /// The number of the server that owns the key. O(servers).
  std::size_t owner(std::string_view key) const {
    const auto hash = hash_of(key);
    std::uint64_t most = 0;
    std::size_t owner = 0;
    for (std::size_t s = 0; s != hashes_.size(); ++s)
      if (const auto with = hash_combine(hashes_[s], hash); with >= most) most = with, owner = s;
    return owner;
  }

 private:
  std::vector<std::uint64_t> hashes_{};  ///< of the servers' addresses
};

}  // namespace plumbline::detail
