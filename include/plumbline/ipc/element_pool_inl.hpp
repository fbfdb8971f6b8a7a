#pragma once
/// Definitions of ipc/element_pool.hpp.

#include <plumbline/core/bytes.hpp>
#include <plumbline/core/rng.hpp>
#include <plumbline/ipc/element_pool.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

namespace plumbline::detail {

/// The beginning of the pool. Fresh memory is zero.
struct element_pool::header {
  std::uint64_t layout, most;  ///< of this version of the pool; bytes, as the first process stated them
  word processes;              ///< that have opened it so far
  word used, reserved;         ///< bytes after the header that were taken, and that have memory
  word elements;
  struct known {
    word pipeline, blocks;  ///< 0: none
  };
  std::array<known, 256> tables;
};

/// A slot of a table with lists. It stays where it is, so the lists only grow, at their beginnings.
struct element_pool::listed_slot {
  std::uint64_t index, next;
  word slot;
};

/// A slot of a table is 0 (no element), the offset of the element, or this bit and the process that is keeping it.
inline constexpr std::uint64_t pool_claimed = std::uint64_t{1} << 63;
/// Each process locks the byte of its number behind this one; its place among 64 (rendezvous) is another lock.
inline constexpr std::uint64_t pool_locks = std::uint64_t{1} << 32;
inline constexpr const char* pool_kind = "cache in shared memory";
inline constexpr std::uint64_t pool_layout = 0x706f6f6c00000002;

PLUMBLINE_INLINE element_pool::header& element_pool::head() const { return *reinterpret_cast<header*>(map_->data()); }

PLUMBLINE_INLINE std::shared_ptr<shared_file> element_pool::opened(descriptor theirs, const std::string& name) {
  const auto invalid = [](const std::string& why) {
    throw std::invalid_argument("plumbline: " + std::string(pool_kind) + ": " + why);
  };
  const auto in_words = [](std::uint64_t n) { return to_string(bytes(n)) + " (" + std::to_string(n) + ")"; };
  constexpr auto begin = sizeof(header);
  if (most_ > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - begin)
    invalid(in_words(most_) + " are more than any memory");
  const bool first = theirs.get() < 0;
  file_ = first ? std::make_shared<shared_file>(pool_kind, begin + static_cast<std::size_t>(most_))
                : std::make_shared<shared_file>(pool_kind, std::move(theirs), begin);
  map_ = std::make_unique<file_mapping>(*file_, file_->size(), access::write);
  map_->not_in_children();  // a child would keep the memory
  auto& h = head();
  if (first) {
    if (!file_->reserve(0, begin)) throw_shared(pool_kind, "reserve shared memory", ENOMEM);
    h.layout = pool_layout;
    h.most = most_;
  }
  if (h.layout != pool_layout)
    invalid("other processes keep \"" + name + "\" with another version of plumbline; choose another name");
  if (h.most != most_)
    invalid("another pipeline or process states " + in_words(h.most) + " for \"" + name + "\", and this one " +
            in_words(most_) + "; state the same, or choose another name");
  process_ = h.processes.fetch_add(1) + 1;
  if (!file_->lock(pool_locks + process_)) throw_shared(pool_kind, "lock shared memory", errno);
  return file_;
}

PLUMBLINE_INLINE element_pool::element_pool(const std::string& name, std::uint64_t most)
    : most_(most),
      place_(std::make_unique<rendezvous>(pool_kind, name,
                                          [&](descriptor theirs) { return opened(std::move(theirs), name); })),
      serving_([this] {
        while (place_->serve(-1)) {
        }
      }) {}
PLUMBLINE_INLINE std::shared_ptr<element_pool> element_pool::of_process(const std::string& name, std::uint64_t most) {
  static auto* const all = new std::map<std::string, std::weak_ptr<element_pool>>;
  const auto usable = [&](const auto& pool) { return pool != nullptr && pool->here() && pool->most() == most; };
  std::shared_ptr<element_pool> known, made, other;  // end after the lock, which their destructor takes
  {
    const own_descriptors no_fork;  // which could copy a lock that is held
    known = (*all)[name].lock();
  }
  if (usable(known)) return known;
  made = std::make_shared<element_pool>(name, most);
  const own_descriptors no_fork;
  other = (*all)[name].lock();  // another thread's, which may have been first
  if (usable(other)) return other;
  (*all)[name] = made;
  return made;
}
PLUMBLINE_INLINE element_pool::~element_pool() {
  if (!here()) {  // a child of fork() has neither the thread nor the mapping
    ::new (static_cast<void*>(&serving_)) std::thread;
    static_cast<void>(map_.release());
    return;
  }
  place_->stop();
  serving_.join();
}
PLUMBLINE_INLINE bool element_pool::has_room(std::uint64_t bytes) const {
  if (!here()) return false;
  const auto used = head().used.load(std::memory_order_relaxed);
  return bytes <= head().most && used <= head().most - bytes;
}
PLUMBLINE_INLINE std::uint64_t element_pool::take(std::uint64_t bytes) {
  constexpr std::uint64_t step = std::uint64_t{1} << 20, each = alignof(std::max_align_t);
  auto& h = head();
  bytes = (bytes + each - 1) / each * each;
  auto used = h.used.load(std::memory_order_relaxed);
  do {
    if (!has_room(bytes)) return 0;
    const auto end = used + bytes;
    for (auto reserved = h.reserved.load(); reserved < end;) {
      const auto upto = std::min(h.most, (end + step - 1) / step * step);
      if (!file_->reserve(sizeof(header) + reserved, sizeof(header) + upto)) return 0;
      if (h.reserved.compare_exchange_strong(reserved, upto)) break;
    }
  } while (!h.used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return sizeof(header) + used;
}
PLUMBLINE_INLINE element_pool::word* element_pool::words(word& of, std::uint64_t n) {
  auto known = of.load(std::memory_order_acquire);
  if (known != 0) return at(known);
  const auto fresh = take(n * sizeof(word));
  if (fresh == 0) return nullptr;
  if (of.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return at(fresh);
  return at(known);  // another has made them; those bytes stay unused
}

PLUMBLINE_INLINE element_pool::word* element_pool::listed(std::uint64_t first, std::uint64_t i) const {
  while (first != 0) {
    auto* const s = reinterpret_cast<listed_slot*>(at(first));
    if (s->index == i) return &s->slot;
    first = s->next;
  }
  return nullptr;
}
PLUMBLINE_INLINE element_pool::word* element_pool::listed_or_new(word& list, std::uint64_t i) {
  auto first = list.load(std::memory_order_acquire);
  if (word* known = listed(first, i)) return known;
  const auto fresh = take(sizeof(listed_slot));
  if (fresh == 0) return nullptr;
  auto* const s = ::new (static_cast<void*>(at(fresh))) listed_slot{i, first, {0}};
  while (!list.compare_exchange_weak(first, fresh, std::memory_order_acq_rel, std::memory_order_acquire)) {
    if (word* known = listed(first, i)) return known;  // another has made it; those bytes stay unused
    s->next = first;
  }
  return &s->slot;
}

PLUMBLINE_INLINE std::uint64_t element_pool::table::place(std::uint64_t i) const {
  return lists_ == 0 ? i : hash_combine(i, 0) % lists_;
}
PLUMBLINE_INLINE element_pool::table element_pool::open(std::uint64_t pipeline, std::uint64_t n) {
  constexpr std::uint64_t least = sizeof(word) + alignof(std::max_align_t);  // that an element takes, with its slot
  constexpr std::uint64_t bytes_per_list = 512;  // so lists take little, and those of small elements have about ten
  table made;
  if (n > most_ / least) made.lists_ = std::max<std::uint64_t>(1, most_ / bytes_per_list);
  const auto places = made.lists_ == 0 ? n : made.lists_;
  made.bits_ = static_cast<unsigned>(std::bit_width(places)) / 2;
  const auto identity = std::max<std::uint64_t>(hash_combine(pipeline, n), 1);
  for (auto& t : head().tables) {
    std::uint64_t other = 0;
    if (!t.pipeline.compare_exchange_strong(other, identity) && other != identity) continue;
    made.blocks_ = words(t.blocks, (places >> made.bits_) + 1);
    return made;
  }
  throw std::runtime_error("plumbline: " + std::string(pool_kind) + ": it has elements of " +
                           std::to_string(head().tables.size()) +
                           " pipelines already, which is the most; choose another name");
}
PLUMBLINE_INLINE std::optional<std::span<const std::uint8_t>> element_pool::find(const table& in,
                                                                                 std::uint64_t i) const {
  if (in.blocks_ == nullptr || !here()) return std::nullopt;
  const auto place = in.place(i);
  const auto block = in.blocks_[place >> in.bits_].load(std::memory_order_acquire);
  if (block == 0) return std::nullopt;
  const word* slot = at(block) + (place & ((std::uint64_t{1} << in.bits_) - 1));
  if (in.lists_ != 0) slot = listed(slot->load(std::memory_order_acquire), i);
  const auto element = slot == nullptr ? 0 : slot->load(std::memory_order_acquire);
  if (element == 0 || (element & pool_claimed) != 0) return std::nullopt;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, map_->data() + element, sizeof bytes);
  return std::span(reinterpret_cast<const std::uint8_t*>(map_->data() + element + sizeof bytes),
                   static_cast<std::size_t>(bytes));
}
PLUMBLINE_INLINE bool element_pool::alive(std::uint64_t process) const {
  return process == process_ || file_->locked(pool_locks + process);
}
PLUMBLINE_INLINE bool element_pool::claim(word& slot) {
  auto now = slot.load(std::memory_order_relaxed);
  if (now != 0 && ((now & pool_claimed) == 0 || alive(now & ~pool_claimed))) return false;
  return slot.compare_exchange_strong(now, pool_claimed | process_, std::memory_order_relaxed);
}
PLUMBLINE_INLINE void element_pool::keep(const table& in, std::uint64_t i, std::span<const std::uint8_t> bytes) {
  const std::uint64_t n = bytes.size(), all = sizeof n + n;
  if (in.blocks_ == nullptr || !here() || !has_room(all + (in.lists_ == 0 ? 0 : sizeof(listed_slot)))) return;
  const auto place = in.place(i);
  word* const block = words(in.blocks_[place >> in.bits_], std::uint64_t{1} << in.bits_);
  if (block == nullptr) return;
  word* slot = block + (place & ((std::uint64_t{1} << in.bits_) - 1));
  if (in.lists_ != 0) slot = listed_or_new(*slot, i);
  if (slot == nullptr || !claim(*slot)) return;
  auto own = pool_claimed | process_;
  const auto element = take(all);
  if (element != 0) {
    auto* const to = map_->data() + element;
    std::memcpy(to, &n, sizeof n);
    if (n != 0) std::memcpy(to + sizeof n, bytes.data(), bytes.size());
  }
  const bool kept = slot->compare_exchange_strong(own, element, std::memory_order_release, std::memory_order_relaxed);
  if (kept && element != 0) head().elements.fetch_add(1, std::memory_order_relaxed);
}
PLUMBLINE_INLINE element_pool::totals element_pool::counts() const {
  totals all{head().elements.load(), head().used.load(), 1};
  for (std::size_t n = 0; n != rendezvous::most; ++n)
    if (n != place_->number() && file_->locked(n)) ++all.processes;
  return all;
}

}  // namespace plumbline::detail
