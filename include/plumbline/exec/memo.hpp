#pragma once
/// memo: how a cache works where elements are made by number. The line stays one of numbers: a `recall` before its
/// kernels looks the element up, the kernels are passed by what was found, and a `retain` after them keeps what was
/// made. So each stage still does its own work, what is cached stays indexed, the elements are made once in whatever
/// order they are first asked for, and an epoch that is left early is not lost.

#include <plumbline/core/kernel.hpp>
#include <plumbline/exec/line.hpp>
#include <plumbline/exec/perhaps.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline::detail {

/// Elements by number: written once, read from any thread. Memory: that of the elements kept, and a page here and there
/// (both levels are zeroed lazily by the system).
template <class T> class memo_table {
  enum : unsigned char { absent, being_written, present };  // absent is what fresh memory holds
  struct slot {
    std::atomic<unsigned char> state;
    alignas(T) std::byte room[sizeof(T)];
    T* element() { return std::launder(reinterpret_cast<T*>(room)); }
  };
  static_assert(alignof(slot) <= alignof(std::max_align_t),
                "plumbline: cache cannot keep elements that are aligned more strictly than malloc does");

 public:
  explicit memo_table(std::uint64_t size)
      : bits_(static_cast<unsigned>(std::bit_width(size)) / 2), blocks_((size >> bits_) + 1) {
    if (size >> 40 != 0)
      throw std::invalid_argument("plumbline: cache keeps at most 2^40 elements by number, and below it are " +
                                  std::to_string(size) + "; put take(n) before it");
    directory_ = allocate<std::atomic<slot*>>(blocks_);
  }
  memo_table(const memo_table&) = delete;
  ~memo_table() {
    for (std::uint64_t b = 0; b != blocks_; ++b) {
      slot* block = directory_[b].load(std::memory_order_relaxed);
      if (block == nullptr) continue;
      for (std::uint64_t i = 0; i != std::uint64_t{1} << bits_; ++i)
        if (block[i].state.load(std::memory_order_relaxed) == present) std::destroy_at(block[i].element());
      std::free(block);
    }
    std::free(directory_);
  }

  /// Null: it is not there yet.
  const T* find(std::uint64_t i) const {
    slot* block = directory_[i >> bits_].load(std::memory_order_acquire);
    if (block == nullptr) return nullptr;
    slot& s = block[i & mask()];
    return s.state.load(std::memory_order_acquire) == present ? s.element() : nullptr;
  }
  /// Of two threads that made the same element, one keeps it.
  void keep(std::uint64_t i, const T& x) {
    slot& s = block_of(i)[i & mask()];
    unsigned char nothing = absent;
    if (!s.state.compare_exchange_strong(nothing, being_written, std::memory_order_relaxed)) return;
    try {
      ::new (static_cast<void*>(s.room)) T(x);
    } catch (...) {
      s.state.store(absent, std::memory_order_relaxed);
      throw;
    }
    s.state.store(present, std::memory_order_release);
  }

 private:
  template <class X> static X* allocate(std::uint64_t n) {
    void* p = std::calloc(n, sizeof(X));
    if (p == nullptr) throw std::bad_alloc();
    return static_cast<X*>(p);
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }
  slot* block_of(std::uint64_t i) {
    auto& at = directory_[i >> bits_];
    slot* block = at.load(std::memory_order_acquire);
    if (block != nullptr) return block;
    slot* fresh = allocate<slot>(std::uint64_t{1} << bits_);
    if (at.compare_exchange_strong(block, fresh, std::memory_order_acq_rel)) return fresh;
    std::free(fresh);
    return block;
  }
  unsigned bits_;  ///< of the number, those within a block
  std::uint64_t blocks_;
  std::atomic<slot*>* directory_;
};

/// What the three kernels have in common. `Blocks`: that they run on I/O threads, with the kernel beside them; they
/// themselves never wait.
template <bool Blocks> struct memo_kernel {
  static constexpr bool blocks = Blocks, waits = false, tries = true, one_to_one = true, expanding = false,
                        uses_position = false;
  static constexpr bool reads_lineage = true;
};

template <class T, bool Blocks> struct recall : memo_kernel<Blocks> {
  template <class In> using output = perhaps<std::remove_cvref_t<In>, T>;
  static constexpr bool yields = false;
  std::string_view name;
  std::uint32_t id;
  std::shared_ptr<const memo_table<T>> table;

  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t, std::uint64_t, Emit&& emit) const {
    if (const T* known = table->find(at.index))
      emit(output<In>::found(known), at);
    else
      emit(output<In>::of(std::forward<In>(x)), at);
  }
};

/// A kernel that what was found passes by.
template <class T, class Kernel> struct passed : Kernel {
  template <class In> using output = perhaps<typename Kernel::template output<typename In::element>, T>;
  explicit passed(Kernel k) : Kernel(std::move(k)) {}

  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t position, std::uint64_t group, Emit&& emit) const {
    using out = output<std::remove_cvref_t<In>>;
    if (x.known != nullptr)
      emit(out::found(x.known), at);
    else
      Kernel::push(std::move(*x.made), at, position, group,
                   [&](auto&& y, const lineage& where) { emit(out::of(std::forward<decltype(y)>(y)), where); });
  }
};

template <class T, class Kernel> inline constexpr bool may_be_passed<passed<T, Kernel>> = true;

template <class T, bool Blocks> struct retain : memo_kernel<Blocks> {
  template <class> using output = T;
  static constexpr bool yields = true;
  std::string_view name;
  std::uint32_t id;
  std::shared_ptr<memo_table<T>> table;

  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t, std::uint64_t, Emit&& emit) const {
    const element_context cx{at, 0, 0, 0, id, 0};
    if (x.known != nullptr) return emit(guarded(name, cx, [&] { return T(*x.known); }), at);
    guarded(name, cx, [&] { table->keep(at.index, *x.made); });
    emit(std::move(*x.made), at);
  }
};

/// The line with a memo over all of it. Its elements are known by the number of the source's element.
template <class View, class... I, class... K>
auto remember(open_line<indexed_head<View, I...>, K...> line, std::string_view name, std::uint32_t id) {
  using T = typename open_line<indexed_head<View, I...>, K...>::element;
  constexpr bool first_blocks = leading<true, K...> != 0;
  constexpr bool last_blocks = std::array{false, K::blocks...}.back();
  const auto table = std::make_shared<memo_table<T>>(line.head.view.size());
  return open_line<indexed_head<View, I...>, recall<T, first_blocks>, passed<T, K>..., retain<T, last_blocks>>{
      std::move(line.head),
      std::apply(
          [&](auto&... k) {
            return std::tuple<recall<T, first_blocks>, passed<T, K>..., retain<T, last_blocks>>(
                recall<T, first_blocks>{{}, name, id, table}, passed<T, K>(std::move(k))...,
                retain<T, last_blocks>{{}, name, id, table});
          },
          line.kernels),
      std::move(line.reads), line.at_once, std::move(line.members)};
}

}  // namespace plumbline::detail
