#pragma once
/// unused_id(): a number unique in the process for its whole lifetime, unlike an address.

#include <atomic>
#include <cstdint>

namespace plumbline::detail {

inline std::uint64_t unused_id() {
  static std::atomic<std::uint64_t> n{0};
  return ++n;
}

}  // namespace plumbline::detail
