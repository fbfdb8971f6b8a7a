#pragma once
/// The solver's storage: a vector with int indices that never releases memory, and a vector with a list of its
/// nonzeros. Both live as long as their solver, so that solving again allocates nothing.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace plumbline::lp::detail {

template <class T> class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  array() = default;
  array(const array& other) { copy(other); }
  array(array&& other) noexcept { swap(other); }
  array& operator=(array other) noexcept {
    swap(other);
    return *this;
  }
  T& operator[](int i) { return v_.get()[i]; }
  const T& operator[](int i) const { return v_.get()[i]; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void reserve(int n) {
    if (n > room_) grow(n);
  }
  /// New elements are not initialised.
  void resize(int n) {
    if (n > room_) grow(std::max(n, room_ + room_ / 2));
    size_ = n;
  }
  void assign(int n, T x) {
    resize(n);
    std::fill_n(v_.get(), n, x);
  }
  void copy(const array& other) {
    resize(other.size_);
    std::copy_n(other.v_.get(), size_, v_.get());
  }
  void push(T x) {  // called in inner loops: grow() stays out of line
    if (size_ == room_) [[unlikely]]
      grow(2 * room_ + 16);
    v_.get()[size_++] = x;
  }
  T pop() { return v_.get()[--size_]; }
  void clear() { size_ = 0; }
  T* data() { return v_.get(); }
  const T* data() const { return v_.get(); }
  T* begin() { return v_.get(); }
  T* end() { return v_.get() + size_; }
  const T* begin() const { return v_.get(); }
  const T* end() const { return v_.get() + size_; }
  void swap(array& other) noexcept {
    v_.swap(other.v_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

 private:
  [[gnu::noinline]] void grow(int room) {
    auto larger = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(room));
    std::copy_n(v_.get(), size_, larger.get());
    v_ = std::move(larger);
    room_ = room;
  }
  std::unique_ptr<T[]> v_{};
  int size_ = 0, room_ = 0;
};

/// A dense vector with a list of the indices that may be nonzero. After writing to `value`, call pack().
struct work_vector {
  array<double> value;
  array<int> index;

  void resize(int n) {
    value.assign(n, 0.0);
    index.clear();
    index.reserve(n);
  }
  /// Sets all values to zero, in time proportional to the nonzeros.
  void clear() {
    for (const int i : index) value[i] = 0;
    index.clear();
  }
  /// Lists the values larger than rounding noise and zeroes the rest. NaN is listed too, so that later checks detect
  /// it. Which values are zero is unpredictable, so the loop does not branch on it.
  void pack(double noise = 1e-14) {
    const int n = value.size();
    index.resize(n);
    int count = 0;
    for (int i = 0; i < n; ++i) {
      const bool kept = !(std::abs(value[i]) <= noise);
      value[i] = kept ? value[i] : 0;
      index[count] = i;
      count += kept ? 1 : 0;
    }
    index.resize(count);
  }
  double density() const { return value.empty() ? 0.0 : static_cast<double>(index.size()) / value.size(); }
};

}  // namespace plumbline::lp::detail
