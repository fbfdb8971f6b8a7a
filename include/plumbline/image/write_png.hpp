#pragma once
#include <string>

#include <plumbline/core/compiled.hpp>
#include <plumbline/image/picture.hpp>

namespace plumbline {

namespace detail {
byte_tensor png_of(picture_view<const std::uint8_t> picture);
void write_all(const std::string& path, const byte_tensor& contents);
}  // namespace detail

/// Encodes a picture of bytes (1 to 4 channels) as the contents of a PNG file. Not optimised for speed.
/// Throws shape_mismatch for a picture without pixels, of more than 700 MB, or with another number of channels.
template <detail::byte_picture P> byte_tensor encode_png(const P& x) { return detail::png_of(detail::view_of(x)); }

/// Writes a picture of bytes to a PNG file. Throws std::system_error naming the path.
template <detail::byte_picture P> void write_png(const std::string& path, const P& x) {
  detail::write_all(path, encode_png(x));
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/write_png_inl.hpp>
#endif
