#pragma once
/// shared_arena: the preparer's view of a segment: where batches are laid, in place. Which bytes are in use is known to
/// the preparer only; its successor finds it again from the items that some job may still read. Blocks are the lowest
/// that are free, so that the memory in use stays compact. A block belongs to a tensor of the preparer, to an item, or
/// to both, and is free when it belongs to neither. The arena stays mapped as long as there are tensors in it, as a
/// user's function may keep one beyond the run. Once another job prepares, it may overwrite them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/array_memory.hpp>
#include <plumbline/data/codec.hpp>
#include <plumbline/shared/segment.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumbline::detail {

class shared_arena final : file_mapping, public array_memory {
 public:
  struct leave {
    void operator()(shared_arena* arena) const { arena->left(); }
  };
  using owner = std::unique_ptr<shared_arena, leave>;
  static owner open(std::shared_ptr<shared_segment> segment) { return owner(new shared_arena(std::move(segment))); }

  void* take(std::size_t bytes) noexcept override;
  void give_back(void* block) noexcept override;

  /// Describes an item's element, so that item() may refer to it until drop(). `encode` writes it.
  template <class Encode> void describe(shared_item& item, Encode&& encode);
  /// As describe() of a job that has ended: its arrays and its description are in use.
  void adopt(const shared_item& item);
  /// No job reads the item any more.
  void drop(const shared_item& item);
  /// Bytes of arrays that were not made in the arena, so that they were copied.
  std::uint64_t bytes_copied() const { return copied_.load(); }

 private:
  explicit shared_arena(std::shared_ptr<shared_segment> segment);
  void left() {
    if (users_.fetch_sub(1) == 1) delete this;
  }
  /// The beginning of a block of so many bytes, or null.
  std::byte* room_for(std::size_t bytes) noexcept;
  /// The same for an item. Throws std::bad_alloc.
  std::byte* room_for_item(std::size_t bytes);

  struct places;
  struct block {
    std::size_t bytes;
    unsigned owners;
  };
  std::uint64_t offset_of(const void* p) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - data());
  }
  /// The item becomes an owner of the block that begins here.
  void own(std::uint64_t at);
  void release(std::uint64_t at);
  void write(shared_item& item, const std::vector<std::uint64_t>& arrays, const std::vector<std::uint8_t>& bytes);
  std::vector<std::uint64_t> arrays_of(const shared_item& item) const;

  std::shared_ptr<shared_segment> segment_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::size_t> free_;        ///< by offset: bytes
  std::unordered_map<std::uint64_t, block> blocks_;  ///< in use, by offset
  std::uint64_t reserved_ = 0;                       ///< bytes of the segment that memory was reserved for
  std::atomic<std::uint64_t> copied_{0};
  std::atomic<std::size_t> users_{1};  ///< the owner, and tensors
};

/// Puts arrays where they are already, if that is the arena, else into new blocks of it.
struct shared_arena::places final : array_places {
  shared_arena& in;
  std::vector<std::uint64_t> all{};
  explicit places(shared_arena& arena) : in(arena) {}
  std::uint64_t put(const void* array, std::size_t bytes) override;
  [[noreturn]] pool_block get(std::uint64_t number, std::size_t bytes) override;
};
template <class Encode> void shared_arena::describe(shared_item& item, Encode&& encode) {
  places arrays(*this);
  std::vector<std::uint8_t> bytes;
  try {
    encode(byte_writer(bytes, &arrays));
    write(item, arrays.all, bytes);
  } catch (...) {
    for (const auto at : arrays.all) release(at);
    throw;
  }
}

/// A job's view of a segment's items, read-only. Tensors that are decoded from it are part of it.
class shared_view final : public array_memory {
 public:
  explicit shared_view(std::shared_ptr<const shared_segment> segment)
      : array_memory(segment->data(), segment->size()), segment_(std::move(segment)) {}
  /// Calls f(byte_reader&) with the item's description.
  template <class F> auto read(const shared_item& item, F&& f) const {
    from arrays(*segment_);
    const auto* text = begin_of(item);
    std::uint64_t n = 0;
    std::memcpy(&n, text, sizeof n);
    const auto head = (1 + static_cast<std::size_t>(n)) * sizeof n;
    byte_reader reader(text + head, static_cast<std::size_t>(item.bytes) - head, &arrays);
    return f(reader);
  }

 private:
  struct from final : array_places {
    const shared_segment& segment;
    explicit from(const shared_segment& s) : segment(s) {}
    [[noreturn]] std::uint64_t put(const void*, std::size_t) override;
    pool_block get(std::uint64_t number, std::size_t bytes) override;
  };
  const std::uint8_t* begin_of(const shared_item& item) const {
    return reinterpret_cast<const std::uint8_t*>(segment_->data()) + item.at + memory_pool::header_bytes;
  }
  std::shared_ptr<const shared_segment> segment_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/arena_inl.hpp>
#endif
