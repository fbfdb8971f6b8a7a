#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <plumbline/data/image.hpp>
#include <plumbline/image/decode_error.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/decode_stb.hpp>
#include <plumbline/image/jpeg_markers.hpp>
#include <plumbline/image/orient.hpp>
#ifdef PLUMBLINE_HAS_TURBOJPEG
#include <plumbline/ext/turbojpeg.hpp>
#endif

namespace plumbline {

namespace detail {

/// Shown in error messages. An example is what read_file() gives.
struct contents_of_an_image_file;

struct decode_fn {
  using wants = contents_of_an_image_file;
  decode_options options;

  image operator()(std::span<const std::uint8_t> file) const {
    if (file.empty()) throw decode_error("the file is empty");
    auto picture = is_jpeg(file) ? jpeg(file) : decode_stb(file, options);
    return options.apply_exif_orientation ? oriented(std::move(picture), exif_orientation(file)) : picture;
  }
  image operator()(const byte_tensor& file) const { return (*this)(file.span()); }
  /// A file with its content: what read_file() gives.
  template <class File>
    requires requires(const File& file) { std::span<const std::uint8_t>(file.data.span()); }
  image operator()(const File& file) const { return (*this)(file.data.span()); }

 private:
  image jpeg(byte_span file) const {
#ifdef PLUMBLINE_HAS_TURBOJPEG
    if (auto picture = decode_turbo(file, options)) return std::move(*picture);
#endif
    return decode_jpeg_stb(file, options);
  }
};

}  // namespace detail

/// Decodes file contents: JPEG, PNG, BMP, GIF (first frame), PNM, recognised by their first bytes, not by a name.
///   pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode())  // takes bytes, or what has them as .data
///   pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode({.channels = 1, .apply_exif_orientation = true}))
/// -> image [height, width, channels], 8 bits a sample (16-bit samples of a PNG are cut to their high byte).
/// Throws std::invalid_argument if options.channels is not 1, 3 or 4. The function
/// throws decode_error saying what is wrong: empty, not a picture, damaged (a PNG's checksums are verified), truncated,
/// too large. A JPEG with damage
/// that its decoder can skip (stray bytes, a wrong code) is accepted, as by Pillow and torchvision. JPEG is decoded by
/// libjpeg-turbo where the library was built with it (pixels equal Pillow's), else by stb_image: within a few grey
/// levels of it, and without arithmetic coding. Colour profiles are ignored. Four-ink JPEGs are taken to be stored
/// inverted, as Adobe does. Thread-safe. O(pixels).
constexpr auto decode(const decode_options& options = {}) { return detail::decode_fn{detail::checked(options)}; }

}  // namespace plumbline
