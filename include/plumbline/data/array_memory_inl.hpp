#pragma once
/// Definitions of data/array_memory.hpp.

#include <plumbline/data/array_memory.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace plumbline::detail {

/// All that exist in this process.
struct array_memories {
  std::mutex mutex{};
  std::vector<array_memory*> all{};
  /// Never destroyed, as tensors with static lifetime may be released at exit.
  static array_memories& instance() {
    static auto* one = new array_memories;
    return *one;
  }
};

PLUMBLINE_INLINE array_memory::array_memory(const std::byte* from, std::size_t bytes) : from_(from), bytes_(bytes) {
  auto& known = array_memories::instance();
  const std::scoped_lock lock(known.mutex);
  known.all.push_back(this);
}
PLUMBLINE_INLINE array_memory::~array_memory() {
  auto& known = array_memories::instance();
  const std::scoped_lock lock(known.mutex);
  std::erase(known.all, this);
}
PLUMBLINE_INLINE void array_memory::before_fork() { array_memories::instance().mutex.lock(); }
PLUMBLINE_INLINE void array_memory::after_fork() { array_memories::instance().mutex.unlock(); }
PLUMBLINE_INLINE array_memory& array_memory::of(const void* p) noexcept {
  auto& known = array_memories::instance();
  const std::scoped_lock lock(known.mutex);
  return **std::find_if(known.all.begin(), known.all.end(), [&](const auto* m) { return m->holds(p); });
}

}  // namespace plumbline::detail
