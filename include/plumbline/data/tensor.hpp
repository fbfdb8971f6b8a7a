#pragma once
#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include <plumbline/data/pool.hpp>
#include <plumbline/data/shape.hpp>
#include <plumbline/data/tensor_view.hpp>

namespace plumbline {

/// An n-dimensional array of T, rank known at run time (at most 8), row-major, contiguous, 64-byte aligned, in pooled
/// memory. It has value semantics: a copy is deep, a move is cheap and leaves the source with shape [0].
///   tensor<float> t({2, 3});            // zeros
///   t(1, 2) = 5;  t[1];                 // an element; a view of the second row
///   tensor<int>::of({1, 2, 3});         // one dimension, from values
///   for (float x : t[1]) sum += x;      // one dimension is a range
template <class T> class tensor {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "plumbline: tensor holds raw memory, so its element must be trivially copyable and not const; "
                "use std::vector for other types");

 public:
  using value_type = T;

  /// Shape [0], no memory.
  tensor() noexcept : shape_{0} {}

  /// All elements equal to `fill`. Throws std::bad_alloc, and std::length_error when the shape is too large.
  explicit tensor(const plumbline::shape& extents, const T& fill = T{}) : tensor(extents, reserve(extents)) {
    std::fill_n(data(), size_, fill);
  }

  /// As above, but the elements have no value until they are written.
  static tensor uninitialized(const plumbline::shape& extents) { return tensor(extents, reserve(extents)); }

  /// A one-dimensional tensor of the given values.
  static tensor of(std::initializer_list<T> values) { return of(std::span<const T>(values.begin(), values.size())); }
  static tensor of(std::span<const T> values) {
    auto t = uninitialized({values.size()});
    std::copy_n(values.data(), values.size(), t.data());
    return t;
  }

  /// Takes ownership of a pool block that already holds the elements. The block must be large enough.
  static tensor adopt(const plumbline::shape& extents, detail::pool_block block) noexcept {
    return tensor(extents, std::move(block));
  }

  tensor(const tensor& other) : tensor(other.shape_, reserve(other.shape_)) {
    std::copy_n(other.data(), size_, data());
  }
  tensor(tensor&& other) noexcept
      : block_(std::move(other.block_)),
        shape_(std::exchange(other.shape_, {0})),
        size_(std::exchange(other.size_, 0)) {}
  tensor& operator=(const tensor& other) { return *this = tensor(other); }
  tensor& operator=(tensor&& other) noexcept {
    block_ = std::move(other.block_);
    shape_ = std::exchange(other.shape_, {0});
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~tensor() = default;

  const plumbline::shape& shape() const noexcept { return shape_; }
  /// In elements, not bytes.
  plumbline::shape strides() const noexcept { return shape_.row_major_strides(); }
  std::size_t rank() const noexcept { return shape_.rank(); }
  /// The number of elements.
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return static_cast<T*>(block_.get()); }
  const T* data() const noexcept { return static_cast<const T*>(block_.get()); }
  /// All elements in row-major order.
  std::span<T> span() noexcept { return {data(), size_}; }
  std::span<const T> span() const noexcept { return {data(), size_}; }
  /// A tensor with one dimension is a range of its elements. begin() throws shape_mismatch for any other.
  T* begin() { return detail::check_iterable(shape_), data(); }
  const T* begin() const { return detail::check_iterable(shape_), data(); }
  T* end() noexcept { return data() + size_; }
  const T* end() const noexcept { return data() + size_; }
  tensor_view<T> view() noexcept { return {data(), shape_}; }
  tensor_view<const T> view() const noexcept { return {data(), shape_}; }

  /// The element at (i, j, ...): one index for each dimension.
  template <std::integral... Index> T& operator()(Index... index) noexcept {
    assert(sizeof...(Index) == rank());
    return data()[detail::row_major_offset(shape_, index...)];
  }
  template <std::integral... Index> const T& operator()(Index... index) const noexcept {
    assert(sizeof...(Index) == rank());
    return data()[detail::row_major_offset(shape_, index...)];
  }

  /// The i-th sub-array along the first dimension, a view.
  tensor_view<T> operator[](std::size_t i) noexcept { return view()[i]; }
  tensor_view<const T> operator[](std::size_t i) const noexcept { return view()[i]; }

  /// Changes the shape and keeps the elements. O(1). Throws shape_mismatch unless the number of elements is the same.
  tensor& reshape(const plumbline::shape& extents) & {
    if (extents.count() != size_) {
      throw shape_mismatch("plumbline: reshape from " + to_string(shape_) + " to " + to_string(extents) +
                           " changes the number of elements; the products of the extents must agree");
    }
    shape_ = extents;
    return *this;
  }
  tensor&& reshape(const plumbline::shape& extents) && { return std::move(reshape(extents)); }

  /// Keeps the first n sub-arrays only. O(1): nothing is copied and no memory is released. Needs rank() >= 1; an n
  /// above the first extent changes nothing.
  tensor& truncate_front(std::size_t n) noexcept {
    assert(rank() >= 1);
    if (n < shape_[0]) {
      size_ = size_ / shape_[0] * n;
      shape_[0] = n;
    }
    return *this;
  }

  /// Bytes of memory that the elements take, including the pool's rounding.
  std::size_t footprint() const noexcept { return block_.footprint(); }

  /// Same shape and equal elements.
  friend bool operator==(const tensor& a, const tensor& b) noexcept { return a.view() == b.view(); }

 private:
  static detail::pool_block reserve(const plumbline::shape& extents) {
    const std::size_t n = extents.count();
    if (n > std::size_t(-1) / 2 / sizeof(T)) throw std::length_error("plumbline: tensor is larger than memory can be");
    return detail::pool_block(n * sizeof(T));
  }
  tensor(const plumbline::shape& extents, detail::pool_block block) noexcept
      : block_(std::move(block)), shape_(extents), size_(extents.count()) {}

  detail::pool_block block_;
  plumbline::shape shape_;
  std::size_t size_ = 0;
};

/// File contents: one dimension of bytes.
using byte_tensor = tensor<std::uint8_t>;

}  // namespace plumbline
