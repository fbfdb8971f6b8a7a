#pragma once
/// chunk: elements on their way between two stages, the writer that fills a chunk, and the pool that a used chunk
/// returns to.

#include <plumbline/core/choosing.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/buffer.hpp>

#include <memory>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline::detail {

class payload_pool;

/// The base of all chunks: what a message carries.
struct payload {
  payload_pool* home = nullptr;
  payload() = default;
  payload(const payload&) = delete;
  virtual ~payload() = default;
  virtual std::size_t size() const = 0;
  virtual void clear() = 0;
  /// Destroys the elements and returns the chunk to its pool.
  void recycle();
};

/// A pool of reusable chunks.
class payload_pool {
 public:
  payload_pool() = default;
  payload_pool(const payload_pool&) = delete;
  ~payload_pool();
  /// Returns a used chunk, or a new one.
  payload* get(std::unique_ptr<payload> (*fresh)());
  void put(payload* c) noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<payload>> all_;
  std::vector<payload*> free_;
};

/// `KeepLineage == false`: no operator downstream reads the lineage, so it is not stored.
template <class T> struct chunk final : payload {
  buffer<T> values;
  buffer<lineage> at;

  template <bool KeepLineage, class U> void add(U&& x, const lineage& where) {
    handing_on([&] {
      if constexpr (KeepLineage) at.make_room();
      values.push_back(std::forward<U>(x));
      if constexpr (KeepLineage) at.push_back(where);
    });
  }
  std::size_t size() const override { return values.size(); }
  void clear() override {
    values.clear();
    at.clear();
  }
};

template <class T> class chunk_pool {
 public:
  chunk<T>* get() {
    return static_cast<chunk<T>*>(all_.get([] { return std::unique_ptr<payload>(new chunk<T>); }));
  }

 private:
  payload_pool all_;
};

/// How a chunk_writer writes. `bounded`: at most n more elements, for which it makes room at the start. `growing`: any
/// number. `visible`: any number, and the chunk's size is right after each element; with the others it is right only
/// once the writer is destroyed.
enum class write_mode { bounded, growing, visible };

/// Writes a chunk's elements, through pointers in registers: if each element's place were read from the chunk, it would
/// wait for the element before to be stored there. Room is made before an element is, so that running out of memory is
/// not reported as a failure of the element's operator.
template <class T, bool KeepLineage, write_mode Mode> struct chunk_writer {
  static constexpr bool bounded = Mode == write_mode::bounded;
  chunk<T>& out;
  T *next, *limit;
  chunk_writer(chunk<T>& o, std::uint64_t n) : out(o) {
    if constexpr (bounded) {
      out.values.reserve(static_cast<std::size_t>(n));
      if constexpr (KeepLineage) out.at.reserve(static_cast<std::size_t>(n));
    }
    next = out.values.end(), limit = out.values.limit();
  }
  ~chunk_writer() { out.values.commit(next); }
  chunk_writer(const chunk_writer&) = delete;
  std::size_t size() const { return static_cast<std::size_t>(next - out.values.begin()); }
  template <class X> void operator()(X&& x, const lineage& at) {
    handing_on([&] { emplace([&]() -> X&& { return std::forward<X>(x); }, at); });
  }
  /// Constructs the element that make() returns in its final place.
  template <class Make> T& emplace(Make&& make, const lineage& at) {
    if constexpr (!bounded) {
      if (next == limit) std::tie(next, limit) = more(out, next);
      if constexpr (KeepLineage) handing_on([&] { out.at.make_room(); });
    }
    T* made = ::new (static_cast<void*>(next)) T(make());
    ++next;
    if constexpr (Mode == write_mode::visible) out.values.commit(next);
    if constexpr (KeepLineage) out.at.push_back(at);
    return *made;
  }
  template <class X>
  void maybe(bool is_there, X&& x, const lineage&) requires(bounded && !KeepLineage && written_at_once<T>) {
    ::new (static_cast<void*>(next)) T(std::forward<X>(x));
    next += is_there ? 1 : 0;
  }

 private:
  /// Makes room, and returns the next element's place and the end of the room. Without `this`, which would keep the
  /// writer in memory.
  [[gnu::noinline]] static std::pair<T*, T*> more(chunk<T>& out, T* next) {
    out.values.commit(next);
    handing_on([&] { out.values.make_room(); });
    return {out.values.end(), out.values.limit()};
  }
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/chunk_inl.hpp>
#endif
