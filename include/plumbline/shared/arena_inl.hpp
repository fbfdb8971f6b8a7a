#pragma once
/// Definitions of shared/arena.hpp.

#include <plumbline/shared/arena.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

namespace plumbline::detail {

inline constexpr std::size_t arena_line = memory_pool::alignment;
inline constexpr std::uint64_t arena_begin = (sizeof(shared_header) + 4095) / 4096 * 4096;

PLUMBLINE_INLINE shared_arena::shared_arena(std::shared_ptr<shared_segment> segment)
    : file_mapping(*segment, segment->size(), access::write),
      array_memory(data(), size()),
      segment_(std::move(segment)) {
  free_.emplace(arena_begin, size() - static_cast<std::size_t>(arena_begin));
}

PLUMBLINE_INLINE std::byte* shared_arena::room_for(std::size_t n) noexcept {
  try {
    const std::size_t bytes = (n + arena_line - 1) / arena_line * arena_line;
    const std::scoped_lock lock(mutex_);
    auto at = free_.begin();
    while (at != free_.end() && at->second < bytes) ++at;
    if (at == free_.end()) return nullptr;
    const auto [begin, room] = *at;
    if (begin + bytes > reserved_) {
      constexpr std::uint64_t step = std::uint64_t{1} << 20;
      const auto upto = std::min<std::uint64_t>(size(), (begin + bytes + step - 1) / step * step);
      if (!segment_->reserve(std::max(begin, reserved_), upto)) return nullptr;
      reserved_ = upto;
    }
    blocks_.emplace(begin, block{bytes, 1});
    auto rest = free_.extract(at);  // what follows needs no memory
    if (room != bytes) {
      rest.key() = begin + bytes;
      rest.mapped() = room - bytes;
      free_.insert(std::move(rest));
    }
    // for a successor: behind the pool's own word in the header
    std::memcpy(data() + begin + sizeof(std::size_t), &bytes, sizeof bytes);
    return data() + begin;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
PLUMBLINE_INLINE void* shared_arena::take(std::size_t n) noexcept {
  auto* begin = room_for(n);
  if (begin != nullptr) ++users_;
  return begin;
}
PLUMBLINE_INLINE void shared_arena::give_back(void* p) noexcept {
  release(offset_of(p));
  left();
}
PLUMBLINE_INLINE void shared_arena::own(std::uint64_t at) {
  const std::scoped_lock lock(mutex_);
  ++blocks_.at(at).owners;
}
PLUMBLINE_INLINE void shared_arena::release(std::uint64_t at) {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(at);
  if (--found->second.owners != 0) return;
  auto bytes = found->second.bytes;
  blocks_.erase(found);
  auto next = free_.lower_bound(at);
  if (next != free_.end() && at + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin())
    if (const auto before = std::prev(next); before->first + before->second == at) {
      before->second += bytes;
      return;
    }
  free_.emplace_hint(next, at, bytes);
}

/// As the pool's blocks look.
PLUMBLINE_INLINE std::byte* shared_arena::room_for_item(std::size_t bytes) {
  auto* begin = room_for(bytes + memory_pool::header_bytes);
  if (begin == nullptr) throw std::bad_alloc();
  return begin;
}
PLUMBLINE_INLINE std::uint64_t shared_arena::places::put(const void* array, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(array);
  if (in.holds(begin)) {
    const auto at = in.offset_of(begin) - memory_pool::header_bytes;
    all.reserve(all.size() + 1);
    in.own(at);
    all.push_back(at);
    return at;
  }
  all.reserve(all.size() + 1);
  auto* fresh = in.room_for_item(bytes);
  const auto at = in.offset_of(fresh);
  all.push_back(at);
  memory_pool::mark_elsewhere(fresh, bytes);
  in.copied_.fetch_add(bytes);
  std::memcpy(fresh + memory_pool::header_bytes, array, bytes);
  return at;
}
[[noreturn]] PLUMBLINE_INLINE pool_block shared_arena::places::get(std::uint64_t, std::size_t) {
  throw std::logic_error("plumbline: the preparer does not read");
}
PLUMBLINE_INLINE void shared_arena::write(shared_item& item, const std::vector<std::uint64_t>& arrays,
                                          const std::vector<std::uint8_t>& bytes) {
  const std::uint64_t n = arrays.size();
  const std::size_t head = (1 + arrays.size()) * sizeof n;
  auto* begin = room_for_item(head + bytes.size());
  auto* to = begin + memory_pool::header_bytes;
  std::memcpy(to, &n, sizeof n);
  if (n != 0) std::memcpy(to + sizeof n, arrays.data(), arrays.size() * sizeof n);
  if (!bytes.empty()) std::memcpy(to + head, bytes.data(), bytes.size());
  item.at = offset_of(begin);
  item.bytes = head + bytes.size();
}
PLUMBLINE_INLINE std::vector<std::uint64_t> shared_arena::arrays_of(const shared_item& item) const {
  const auto* from = data() + item.at + memory_pool::header_bytes;
  std::uint64_t n = 0;
  std::memcpy(&n, from, sizeof n);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(n));
  if (n != 0) std::memcpy(all.data(), from + sizeof n, all.size() * sizeof n);
  return all;
}
PLUMBLINE_INLINE void shared_arena::adopt(const shared_item& item) {
  if (item.bytes == 0) return;
  auto all = arrays_of(item);
  all.push_back(item.at);
  const std::scoped_lock lock(mutex_);
  for (const auto at : all) {
    if (const auto known = blocks_.find(at); known != blocks_.end()) {  // two items may have an array in common
      ++known->second.owners;
      continue;
    }
    std::size_t bytes = 0;
    std::memcpy(&bytes, data() + at + sizeof(std::size_t), sizeof bytes);
    blocks_.emplace(at, block{bytes, 1});
    const auto around = std::prev(free_.upper_bound(at));
    const auto [begin, room] = *around;
    free_.erase(around);
    if (begin != at) free_.emplace(begin, static_cast<std::size_t>(at - begin));
    if (const auto end = begin + room; at + bytes != end)
      free_.emplace(at + bytes, static_cast<std::size_t>(end - at - bytes));
  }
}
PLUMBLINE_INLINE void shared_arena::drop(const shared_item& item) {
  if (item.bytes == 0) return;
  for (const auto at : arrays_of(item)) release(at);
  release(item.at);
}

[[noreturn]] PLUMBLINE_INLINE std::uint64_t shared_view::from::put(const void*, std::size_t) {
  throw std::logic_error("plumbline: a job that does not prepare does not write");
}
PLUMBLINE_INLINE pool_block shared_view::from::get(std::uint64_t number, std::size_t bytes) {
  const auto* begin = segment.data() + number;
  std::size_t room = 0;
  std::memcpy(&room, begin + sizeof room, sizeof room);
  if (room < bytes + memory_pool::header_bytes) throw std::runtime_error("a shared array is shorter than its shape");
  return pool_block::adopt(const_cast<std::byte*>(begin) + memory_pool::header_bytes);
}

}  // namespace plumbline::detail
