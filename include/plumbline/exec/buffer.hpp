#pragma once
/// buffer: a vector of chunk elements. It can be written through a pointer kept in a register (`end`, `commit`), it
/// holds bool like any other type, and it keeps its capacity when it is cleared.

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

template <class T> class buffer {
 public:
  buffer() = default;
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() {
    clear();
    release(begin_);
  }

  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  bool empty() const { return begin_ == end_; }
  T& operator[](std::size_t i) { return begin_[i]; }
  std::span<T> part(std::size_t from, std::size_t to) { return {begin_ + from, begin_ + to}; }
  void clear() {
    std::destroy(begin_, end_);
    end_ = begin_;
  }
  /// Makes room for n more elements.
  void reserve(std::size_t n) {
    if (static_cast<std::size_t>(limit_ - end_) < n) grow(size() + n);
  }
  /// Makes room for one more.
  void make_room() {
    if (end_ == limit_) grow(size() == 0 ? 1 : 2 * size());
  }
  template <class U> void push_back(U&& x) {
    make_room();
    ::new (static_cast<void*>(end_)) T(std::forward<U>(x));
    ++end_;
  }
  T* begin() { return begin_; }
  /// Where the next element goes. Elements may be constructed there, up to the reserved capacity, and then committed.
  T* end() { return end_; }
  /// The end of the room for elements.
  T* limit() { return limit_; }
  void commit(T* end) { end_ = end; }

 private:
  void grow(std::size_t room) {
    T* fresh = std::allocator<T>().allocate(room);
    T* to = fresh;
    for (T* p = begin_; p != end_; ++p, ++to) {
      ::new (static_cast<void*>(to)) T(std::move(*p));
      p->~T();
    }
    release(begin_);
    begin_ = fresh;
    end_ = to;
    limit_ = fresh + room;
  }
  void release(T* p) {
    if (p != nullptr) std::allocator<T>().deallocate(p, static_cast<std::size_t>(limit_ - begin_));
  }
  T *begin_ = nullptr, *end_ = nullptr, *limit_ = nullptr;
};

}  // namespace plumbline::detail
