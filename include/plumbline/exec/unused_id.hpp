#pragma once
/// Numbers unique in the process for its whole lifetime, unlike addresses.

#include <atomic>
#include <cstdint>

namespace plumbline::detail {

inline std::uint64_t unused_id() {
  static std::atomic<std::uint64_t> n{0};
  return ++n;
}
/// A number of this thread that no other has, or had.
inline std::uint64_t thread_number() {
  thread_local const auto own = unused_id();
  return own;
}

}  // namespace plumbline::detail
