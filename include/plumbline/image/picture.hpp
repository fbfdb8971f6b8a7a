#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plumbline/data/image.hpp>

/// What the operations of this folder accept as a picture: anything of layout height x width x channels.
/// An operation keeps the kind of picture where it can: image -> image, tensor -> tensor, fixed -> fixed.
namespace plumbline::detail {

/// A view of a picture's samples. Rows are contiguous, without gaps between them.
template <class T> struct picture_view {
  T* data;
  std::size_t height, width, channels;

  constexpr std::size_t row_size() const noexcept { return width * channels; }
  constexpr T* row(std::size_t y) const noexcept { return data + y * row_size(); }
  constexpr std::size_t size() const noexcept { return height * row_size(); }
};

template <class T> auto view_of(basic_image<T>& x) noexcept {
  return picture_view<T>{x.data(), x.height(), x.width(), x.channels()};
}
template <class T> auto view_of(const basic_image<T>& x) noexcept {
  return picture_view<const T>{x.data(), x.height(), x.width(), x.channels()};
}
template <class T, std::size_t H, std::size_t W, std::size_t C> auto view_of(fixed_tensor<T, H, W, C>& x) noexcept {
  return picture_view<T>{x.data(), H, W, C};
}
template <class T, std::size_t H, std::size_t W, std::size_t C>
auto view_of(const fixed_tensor<T, H, W, C>& x) noexcept {
  return picture_view<const T>{x.data(), H, W, C};
}

inline void need_rank_3(const shape& s) {
  if (s.rank() != 3) {
    throw shape_mismatch("plumbline: a picture has shape [height, width, channels], not " + to_string(s) +
                         "; reshape it");
  }
}
/// Throws shape_mismatch unless the rank is 3.
template <class T> auto view_of(tensor<T>& x) {
  need_rank_3(x.shape());
  return picture_view<T>{x.data(), x.shape()[0], x.shape()[1], x.shape()[2]};
}
template <class T> auto view_of(const tensor<T>& x) {
  need_rank_3(x.shape());
  return picture_view<const T>{x.data(), x.shape()[0], x.shape()[1], x.shape()[2]};
}

template <class T>
concept picture = requires(const T& x) {
  detail::view_of(x).channels;
};
template <class T> using sample_of = std::remove_cvref_t<decltype(*detail::view_of(std::declval<const T&>()).data)>;
template <class T>
concept byte_picture = picture<T> && std::is_same_v<sample_of<T>, std::uint8_t>;

/// The same kind of picture as Picture, with samples of type T.
template <class Picture, class T> struct with_samples;
template <class U, class T> struct with_samples<basic_image<U>, T> {
  using type = basic_image<T>;
  static type like(const basic_image<U>& x) { return type::uninitialized(x.height(), x.width(), x.channels()); }
};
template <class U, class T> struct with_samples<tensor<U>, T> {
  using type = tensor<T>;
  static type like(const tensor<U>& x) { return type::uninitialized(x.shape()); }
};
template <class U, std::size_t H, std::size_t W, std::size_t C, class T>
struct with_samples<fixed_tensor<U, H, W, C>, T> {
  using type = fixed_tensor<T, H, W, C>;
  static type like(const fixed_tensor<U, H, W, C>&) { return type::uninitialized(); }
};

/// Throws shape_mismatch unless a picture has the number of channels in the result's type.
inline void need_channels(std::size_t channels, std::size_t wanted, const char* operation) {
  if (channels != wanted) {
    throw shape_mismatch("plumbline: " + std::string(operation) + " to " + std::to_string(wanted) +
                         " channels got a picture of " + std::to_string(channels) +
                         "; decode to that many channels, or name the number of channels in the template arguments");
  }
}

/// A box of pixels inside a picture.
struct box {
  std::size_t top, left, height, width;
  friend bool operator==(const box&, const box&) = default;
};

}  // namespace plumbline::detail
