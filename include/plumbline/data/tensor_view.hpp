#pragma once
#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <plumbline/data/shape.hpp>

namespace plumbline {

namespace detail {
/// The row-major position of indices (i, j, ...) in an array of the given extents.
template <class Extents, std::integral... Index>
constexpr std::size_t row_major_offset(const Extents& extents, Index... index) noexcept {
  std::size_t offset = 0, dimension = 0;
  ((assert(static_cast<std::size_t>(index) < extents[dimension]),
    offset = offset * extents[dimension++] + static_cast<std::size_t>(index)),
   ...);
  return offset;
}
}  // namespace detail

/// A non-owning view of a contiguous row-major array, as returned by `t[i]` of a tensor. T may be const.
/// A view of rank 0 converts to T&, so that `t[i][j]` can be read and assigned like an element.
template <class T> class tensor_view {
 public:
  using value_type = std::remove_const_t<T>;

  constexpr tensor_view(T* data, const plumbline::shape& extents) noexcept : data_(data), shape_(extents) {}
  constexpr operator tensor_view<const T>() const noexcept requires(!std::is_const_v<T>) { return {data_, shape_}; }

  constexpr const plumbline::shape& shape() const noexcept { return shape_; }
  constexpr plumbline::shape strides() const noexcept { return shape_.row_major_strides(); }
  constexpr std::size_t rank() const noexcept { return shape_.rank(); }
  constexpr std::size_t size() const noexcept { return shape_.count(); }
  constexpr T* data() const noexcept { return data_; }
  constexpr std::span<T> span() const noexcept { return {data_, size()}; }
  /// A view with one dimension is a range of its elements. begin() throws shape_mismatch for any other.
  T* begin() const { return detail::check_iterable(shape_), data_; }
  T* end() const noexcept { return data_ + size(); }

  /// The element at (i, j, ...): one index for each dimension.
  template <std::integral... Index> constexpr T& operator()(Index... index) const noexcept {
    assert(sizeof...(Index) == rank());
    return data_[detail::row_major_offset(shape_, index...)];
  }

  /// The i-th sub-array along the first dimension.
  constexpr tensor_view operator[](std::size_t i) const noexcept {
    assert(rank() >= 1 && i < shape_[0]);
    const auto inner = shape_.inner();
    return {data_ + i * inner.count(), inner};
  }

  constexpr operator T&() const noexcept {
    assert(rank() == 0);
    return *data_;
  }
  constexpr const tensor_view& operator=(const value_type& value) const noexcept requires(!std::is_const_v<T>) {
    assert(rank() == 0);
    *data_ = value;
    return *this;
  }
  constexpr tensor_view(const tensor_view&) noexcept = default;
  constexpr tensor_view& operator=(const tensor_view&) noexcept = default;

  /// Same shape and equal elements.
  template <class U>
    requires std::same_as<std::remove_const_t<U>, value_type>
  friend constexpr bool operator==(const tensor_view& a, const tensor_view<U>& b) noexcept {
    return a.shape() == b.shape() && std::equal(a.data(), a.data() + a.size(), b.data());
  }

 private:
  T* data_;
  plumbline::shape shape_;
};

}  // namespace plumbline
