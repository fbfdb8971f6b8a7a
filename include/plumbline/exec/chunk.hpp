#pragma once
/// chunk: some elements on their way between two stages, what writes them, and the pool that takes it back when they
/// are used.

#include <plumbline/core/choosing.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/buffer.hpp>

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// Any chunk: what a message carries.
struct payload {
  virtual ~payload() = default;
  virtual void recycle() = 0;  ///< destroys the elements and goes back to its pool
};

template <class T> class chunk_pool;

/// `KeepLineage == false`: nobody downstream asks for it, so it is not stored.
template <class T> struct chunk final : payload {
  buffer<T> values;
  buffer<lineage> at;
  chunk_pool<T>* home = nullptr;

  template <bool KeepLineage, class U> void add(U&& x, const lineage& where) {
    handing_on([&] {
      if constexpr (KeepLineage) at.make_room();
      values.push_back(std::forward<U>(x));
      if constexpr (KeepLineage) at.push_back(where);
    });
  }
  std::size_t size() const { return values.size(); }
  void clear() {
    values.clear();
    at.clear();
  }
  void recycle() override;
};

template <class T> class chunk_pool {
 public:
  chunk<T>* get() {
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        auto* c = free_.back();
        free_.pop_back();
        return c;
      }
    }
    auto fresh = std::make_unique<chunk<T>>();
    fresh->home = this;
    const std::scoped_lock lock(mutex_);
    all_.push_back(std::move(fresh));
    free_.reserve(all_.size());  // so that put() never allocates
    return all_.back().get();
  }
  void put(chunk<T>* c) noexcept {
    const std::scoped_lock lock(mutex_);
    free_.push_back(c);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<chunk<T>>> all_;
  std::vector<chunk<T>*> free_;
};

template <class T> void chunk<T>::recycle() {
  clear();
  home->put(this);
}

/// Writes a chunk's elements: through a pointer in a register where there are, at most, n more (`Bounded`). Room is
/// made before an element is: what cannot be had is not that element's operator's.
template <class T, bool KeepLineage, bool Bounded> struct chunk_writer {
  chunk<T>& out;
  T* next;
  chunk_writer(chunk<T>& o, std::uint64_t n) : out(o) {
    if constexpr (Bounded) {
      out.values.reserve(static_cast<std::size_t>(n));
      if constexpr (KeepLineage) out.at.reserve(static_cast<std::size_t>(n));
    }
    next = out.values.end();
  }
  ~chunk_writer() {
    if constexpr (Bounded) out.values.commit(next);
  }
  chunk_writer(const chunk_writer&) = delete;
  template <class X> void operator()(X&& x, const lineage& at) {
    handing_on([&] { emplace([&]() -> X&& { return std::forward<X>(x); }, at); });
  }
  /// The element that make() returns, where it stays.
  template <class Make> T& emplace(Make&& make, const lineage& at) {
    if constexpr (!Bounded) {
      handing_on([&] {
        out.values.make_room();
        if constexpr (KeepLineage) out.at.make_room();
      });
      next = out.values.end();
    }
    T* made = ::new (static_cast<void*>(next)) T(make());
    ++next;
    if constexpr (!Bounded) out.values.commit(next);
    if constexpr (KeepLineage) out.at.push_back(at);
    return *made;
  }
  template <class X>
  void maybe(bool is_there, X&& x, const lineage&) requires(Bounded && !KeepLineage && written_at_once<T>) {
    ::new (static_cast<void*>(next)) T(std::forward<X>(x));
    next += is_there ? 1 : 0;
  }
};

}  // namespace plumbline::detail
