#pragma once
#include <array>
#include <cstddef>

#include <plumbline/data/tensor.hpp>

namespace plumbline {

/// A tensor whose extents are part of its type, so that whether elements can be batched is known at compile time.
/// Same storage as tensor and converts to it (by move without copying). A moved-from one may only be assigned or
/// destroyed.
///   fixed_tensor<float, 3, 224, 224> x;  // zeros
template <class T, std::size_t... Extents> class fixed_tensor {
  static_assert(sizeof...(Extents) <= plumbline::shape::max_rank, "plumbline: fixed_tensor has at most 8 dimensions");
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "plumbline: fixed_tensor holds raw memory, so its element must be trivially copyable and not const");

 public:
  using value_type = T;
  static constexpr std::array<std::size_t, sizeof...(Extents)> extents{Extents...};

  fixed_tensor() : fixed_tensor(detail::pool_block(size_bytes())) { std::fill_n(data(), size(), T{}); }

  /// The elements have no value until they are written.
  static fixed_tensor uninitialized() { return fixed_tensor(detail::pool_block(size_bytes())); }

  fixed_tensor(const fixed_tensor& other) : block_(other.data() == nullptr ? 0 : size_bytes()) {
    if (other.data() != nullptr) std::copy_n(other.data(), size(), data());
  }
  fixed_tensor(fixed_tensor&&) noexcept = default;
  fixed_tensor& operator=(const fixed_tensor& other) { return *this = fixed_tensor(other); }
  fixed_tensor& operator=(fixed_tensor&&) noexcept = default;
  ~fixed_tensor() = default;

  static constexpr plumbline::shape shape() noexcept { return {Extents...}; }
  static constexpr plumbline::shape strides() noexcept { return shape().row_major_strides(); }
  static constexpr std::size_t rank() noexcept { return sizeof...(Extents); }
  static constexpr std::size_t size() noexcept { return (std::size_t{1} * ... * Extents); }
  static constexpr std::size_t size_bytes() noexcept { return size() * sizeof(T); }
  T* data() noexcept { return static_cast<T*>(block_.get()); }
  const T* data() const noexcept { return static_cast<const T*>(block_.get()); }
  std::span<T> span() noexcept { return {data(), size()}; }
  std::span<const T> span() const noexcept { return {data(), size()}; }
  /// With one dimension it is a range of its elements.
  T* begin() noexcept requires(sizeof...(Extents) == 1) { return data(); }
  const T* begin() const noexcept requires(sizeof...(Extents) == 1) { return data(); }
  T* end() noexcept requires(sizeof...(Extents) == 1) { return data() + size(); }
  const T* end() const noexcept requires(sizeof...(Extents) == 1) { return data() + size(); }
  tensor_view<T> view() noexcept { return {data(), shape()}; }
  tensor_view<const T> view() const noexcept { return {data(), shape()}; }

  /// The element at (i, j, ...); the number of indices is checked by the compiler.
  template <std::integral... Index>
    requires(sizeof...(Index) == sizeof...(Extents))
  T& operator()(Index... index) noexcept { return data()[detail::row_major_offset(extents, index...)]; }
  template <std::integral... Index>
    requires(sizeof...(Index) == sizeof...(Extents))
  const T& operator()(Index... index) const noexcept { return data()[detail::row_major_offset(extents, index...)]; }
  tensor_view<T> operator[](std::size_t i) noexcept { return view()[i]; }
  tensor_view<const T> operator[](std::size_t i) const noexcept { return view()[i]; }

  operator tensor<T>() && { return tensor<T>::adopt(shape(), std::move(block_)); }
  operator tensor<T>() const& { return fixed_tensor(*this); }

  /// Bytes of memory that the elements take, including the pool's rounding.
  std::size_t footprint() const noexcept { return block_.footprint(); }

  friend bool operator==(const fixed_tensor& a, const fixed_tensor& b) noexcept {
    return std::equal(a.data(), a.data() + size(), b.data());
  }

 private:
  explicit fixed_tensor(detail::pool_block block) noexcept : block_(std::move(block)) {}

  detail::pool_block block_;
};

}  // namespace plumbline
