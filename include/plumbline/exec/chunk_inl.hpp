#pragma once
/// Definitions of exec/chunk.hpp.

#include <plumbline/exec/chunk.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE void payload::recycle() {
  clear();
  home->put(this);
}
PLUMBLINE_INLINE payload_pool::~payload_pool() = default;
PLUMBLINE_INLINE payload* payload_pool::get(std::unique_ptr<payload> (*fresh)()) {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      auto* c = free_.back();
      free_.pop_back();
      return c;
    }
  }
  auto made = fresh();
  made->home = this;
  const std::scoped_lock lock(mutex_);
  all_.push_back(std::move(made));
  free_.reserve(all_.size());  // so that put() never allocates
  return all_.back().get();
}
PLUMBLINE_INLINE void payload_pool::put(payload* c) noexcept {
  const std::scoped_lock lock(mutex_);
  free_.push_back(c);
}

}  // namespace plumbline::detail
