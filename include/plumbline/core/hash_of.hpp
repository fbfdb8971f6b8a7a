#pragma once
/// hash_of(text): a hash that is the same in every process. (std::hash need not be.)

#include <plumbline/core/rng.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace plumbline::detail {

inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    const auto n = std::min(bytes.size(), sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), n);
    hash = hash_combine(hash, word);
    bytes.remove_prefix(n);
  }
  return hash;
}

}  // namespace plumbline::detail
