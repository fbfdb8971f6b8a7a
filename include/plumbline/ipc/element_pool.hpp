#pragma once
/// element_pool: elements, as bytes, that the processes of one name keep for each other in one shared memory, each
/// written once and never evicted, up to a number of bytes. The memory exists as long as a process has the pool open.
///
/// Nothing in it waits: finding an element is three loads, keeping one a compare-and-swap that claims its slot, and
/// memory is only ever taken, by moving one word. So a process may be killed between any two instructions. Its claims
/// are taken over by others (a claim names its process, which holds a lock while it lives); the memory that it had
/// taken and not published stays unused.
///
/// Elements are numbered within a table, and each pipeline has a table of its own. A table has two levels, of which the
/// second is made where elements are. It has a slot for each element, if all of them might fit in the pool. Of a longer
/// stream, or one without an end, those that are kept may lie anywhere in it: it has lists, found by a hash, of the
/// slots in use. All this counts as memory of the pool; its header (4 KiB) does not.

#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/fork_check.hpp>
#include <plumbline/ipc/rendezvous.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

namespace plumbline::detail {

class element_pool {
 public:
  using word = std::atomic<std::uint64_t>;
  struct totals {
    std::uint64_t elements = 0, bytes = 0;
    std::size_t processes = 0;
  };
  /// A pipeline's elements. Empty if the pool has no room for it.
  class table {
   public:
    table() = default;

   private:
    friend element_pool;
    std::uint64_t place(std::uint64_t i) const;
    word* blocks_ = nullptr;
    unsigned bits_ = 0;        ///< the number of bits of a place within a block
    std::uint64_t lists_ = 0;  ///< 0: each element has a slot
  };

  /// The pool of this name, of at most so many bytes. Throws std::invalid_argument if other processes state another
  /// limit, std::runtime_error if they do not answer, std::system_error if the system gives no memory.
  element_pool(const std::string& name, std::uint64_t most);
  /// The same, which the users of a name in this process have in common.
  static std::shared_ptr<element_pool> of_process(const std::string& name, std::uint64_t most);
  element_pool(const element_pool&) = delete;
  ~element_pool();

  /// The table for elements 0 to n - 1 of a pipeline, n of any size. Throws std::runtime_error if there are too many
  /// pipelines.
  table open(std::uint64_t pipeline, std::uint64_t n);
  /// The element's bytes, valid as long as the pool.
  std::optional<std::span<const std::uint8_t>> find(const table& in, std::uint64_t i) const;
  /// Whether this many more bytes may fit.
  bool has_room(std::uint64_t bytes) const;
  /// Keeps the element, or refuses: there is no room, or another process is keeping it.
  void keep(const table& in, std::uint64_t i, std::span<const std::uint8_t> bytes);
  /// Of all processes.
  totals counts() const;
  std::uint64_t most() const { return most_; }
  /// False in a child of the process that opened it: there it is empty and keeps nothing, and counts() must not be
  /// called.
  bool here() const { return !process_check_.lost(); }

 private:
  struct header;
  struct listed_slot;
  header& head() const;
  std::shared_ptr<shared_file> opened(descriptor theirs, const std::string& name);
  /// The offset of so many zero bytes, or 0 if there is no room.
  std::uint64_t take(std::uint64_t bytes);
  /// The n words whose offset is in `of`, made if there are none; null if there is no room.
  word* words(word& of, std::uint64_t n);
  /// The slot of element i in the list that begins at `first`, or null; or made, unless there is no room.
  word* listed(std::uint64_t first, std::uint64_t i) const;
  word* listed_or_new(word& list, std::uint64_t i);
  bool claim(word& slot);
  bool alive(std::uint64_t process) const;
  word* at(std::uint64_t offset) const { return reinterpret_cast<word*>(map_->data() + offset); }

  const fork_check process_check_{true};
  const std::uint64_t most_;
  std::shared_ptr<shared_file> file_{};
  std::unique_ptr<file_mapping> map_{};
  std::uint64_t process_ = 0;  ///< this one's number, from 1, which no other has or had
  std::unique_ptr<rendezvous> place_{};
  std::thread serving_{};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ipc/element_pool_inl.hpp>
#endif
