#pragma once
/// cache(shared_memory("name"), bytes(n)): keeps the elements that fit in n bytes of memory that the processes of this
/// machine share, so that each is made or read from storage once, by whichever process needs it first. The rules are
/// those of cache(bytes): the stream must be indexed, and nothing is evicted. Elements must be `storable`
/// (data/codec.hpp). Not in plumbline.hpp: include <plumbline/ops/cache_in_shared_memory.hpp>.
///   files("*.jpg") | shuffle(1) | read_file() | cache(shared_memory("photos"), bytes(4_GiB)) | map(decode())
/// Processes of the same user (at most 64, within a network namespace) that give the name find each other; they must
/// state the same limit. Their pipelines may differ: each finds the elements of those that are the same up to the
/// cache and read the same files, as they are now (at most 256 different ones). What a function does, what a lambda
/// captures and what else cache(folder) names cannot be seen: processes that differ in it must state a `version` each,
/// made of what differs:
///   range(9) | map([](auto i) { return 2 * i; }) | cache(shared_memory("n"), bytes(4_KiB), {.version = 2})
/// Orders may differ, too. If two processes make an element at the same moment, one is kept: those that train in the
/// same order should share batches instead (run_shared).
/// The memory is freed when the last pipeline or stream with the cache ends, however its process ends; for elements
/// that outlive them, use cache(folder, bytes) in /dev/shm. A process may be killed at any time; what it was keeping
/// then stays unused memory. A child of fork() that goes on with its parent's stream makes its elements itself.
/// explain(p) shows what is kept. Linux.
/// Cost: finding an element is a few loads, and the copy. Memory, within the limit: 8 bytes for each element of the
/// source, and 8 to 23 more than its own for each that is kept. If the source has more elements than one for each 24
/// bytes of the limit, so that not all can fit, or no end: an element is found among about ten, 2 % of the limit is
/// used for that, and each element kept takes 40 to 55 bytes more than its own.
/// tf.data: -, PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/bytes.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/element_pool.hpp>
#include <plumbline/ops/stored_cache.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// What the processes call it.
struct shared_memory {
  std::string name;
  explicit shared_memory(std::string of) : name(std::move(of)) {
    if (name.empty()) throw std::invalid_argument("plumbline: shared_memory(name): the name is empty");
  }
};

namespace detail {

/// Elements by index, in shared memory.
template <class T> class shared_store {
 public:
  shared_store(std::shared_ptr<element_pool> pool, std::uint64_t pipeline, std::uint64_t size)
      : pool_(std::move(pool)), table_(pool_->open(pipeline, size)) {}

  std::optional<T> find(std::uint64_t i) const {
    const auto bytes = pool_->find(table_, i);
    if (!bytes) return std::nullopt;
    byte_reader from(bytes->data(), bytes->size());
    return decoded<T>(from);
  }
  bool has(std::uint64_t i) const { return pool_->find(table_, i).has_value(); }
  void keep(std::uint64_t i, const T& x) {
    byte_writer size;
    codec<T>::encode(x, size);
    if (!pool_->has_room(size.count())) return;  // before it is copied in vain
    static thread_local std::vector<std::uint8_t> bytes;
    const release_large after{bytes};
    bytes.clear();
    bytes.reserve(size.count());
    byte_writer to(bytes);
    codec<T>::encode(x, to);
    pool_->keep(table_, i, bytes);
  }

 private:
  std::shared_ptr<element_pool> pool_;
  element_pool::table table_;
};

/// The pool of an operator and its copies, opened when one of them runs first.
class pool_of_operator {
 public:
  pool_of_operator(std::string name, std::uint64_t most) : name_(std::move(name)), most_(most) {}
  std::shared_ptr<element_pool> open();
  std::string label() const;
  std::string report() const;

 private:
  std::shared_ptr<element_pool> known() const;
  const std::string name_;
  const std::uint64_t most_;
  std::shared_ptr<element_pool> pool_{};  ///< null: nothing has run yet; guarded by own_descriptors
};

}  // namespace detail

struct cache_in_shared_memory_op : stored_part_cache_op {
  static constexpr bool persists_in_processes = true;
  std::shared_ptr<detail::pool_of_operator> pool;

  /// How explain() shows the operator, and what it shows of its runs so far.
  std::string label() const { return pool->label(); }
  std::string report() const { return pool->report(); }

  /// Opens the memory before the pipeline runs, or if it runs in another process (run_shared), and keeps it open.
  void open_for_others() const { static_cast<void>(pool->open()); }

  template <class In> using store = detail::shared_store<In>;
  template <class In> auto open_store(std::uint64_t size, const replay_context& cx) const {
    return std::make_shared<store<In>>(pool->open(), hash_combine(cx.upstream, version), size);
  }
};

/// The memory is opened when a pipeline runs: run throws std::invalid_argument if other processes state another limit,
/// std::runtime_error if they do not answer or are more than 64, std::system_error if the system gives no memory.
inline auto cache(shared_memory at, bytes most, cache_options how = {}) {
  return cache_in_shared_memory_op{{{{}, how.version}},
                                   std::make_shared<detail::pool_of_operator>(std::move(at.name), most.count)};
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ops/cache_in_shared_memory_inl.hpp>
#endif
