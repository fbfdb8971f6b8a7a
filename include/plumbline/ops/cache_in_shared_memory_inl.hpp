#pragma once
/// Definitions of ops/cache_in_shared_memory.hpp.

#include <plumbline/core/excerpt.hpp>
#include <plumbline/ops/cache_in_shared_memory.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE std::shared_ptr<element_pool> pool_of_operator::known() const {
  const own_descriptors no_fork;  // which could copy a lock that is held
  return pool_ != nullptr && pool_->here() ? pool_ : nullptr;
}
PLUMBLINE_INLINE std::shared_ptr<element_pool> pool_of_operator::open() {
  if (auto pool = known()) return pool;
  auto pool = element_pool::of_process(name_, most_);
  auto before = pool;
  const own_descriptors no_fork;
  std::swap(pool_, before);  // which ends after the lock, if it was the parent's
  return pool;
}
PLUMBLINE_INLINE std::string pool_of_operator::label() const {
  constexpr std::size_t shown = 40;
  return "cache(shared memory \"" + excerpt(name_, shown) + "\", " + to_string(bytes(most_)) + ")";
}
PLUMBLINE_INLINE std::string pool_of_operator::report() const {
  const auto pool = known();
  if (pool == nullptr) return "";
  const auto now = pool->counts();
  return std::to_string(now.elements) + (now.elements == 1 ? " element" : " elements") + " in " +
         to_string(bytes(now.bytes)) + " of " + to_string(bytes(most_)) + ", shared by " +
         std::to_string(now.processes) + (now.processes == 1 ? " process" : " processes") + "\n";
}

}  // namespace plumbline::detail
