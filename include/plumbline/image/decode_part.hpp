#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <plumbline/image/decode.hpp>
#include <plumbline/image/picture.hpp>
#if defined(PLUMBLINE_HAS_TURBOJPEG) && defined(PLUMBLINE_HAS_JPEG)
#include <plumbline/ext/jpeg.hpp>
#endif

namespace plumbline {

/// Whether a JPEG whose box is at least twice as large as the result may be decoded at a half, a quarter or an eighth.
enum class reduction : unsigned char {
  none,   ///< the pixels of decode() followed by the crop
  by_dct  ///< faster; the box moves by up to half a pixel of the smaller picture
};

namespace detail {

inline byte_span encoded(byte_span file) { return file; }
inline byte_span encoded(const byte_tensor& file) { return file.span(); }
/// A file with its content: what read_file() gives.
template <class File>
  requires requires(const File& file) { byte_span(file.data.span()); }
byte_span encoded(const File& file) { return file.data.span(); }
/// What decode() takes.
template <class T>
concept encoded_picture = requires(const T& x) {
  detail::encoded(x);
};

/// Pixels that hold a box of a picture, and where in them it is.
struct picture_part {
  image pixels;
  box where;
  std::size_t height, width;  ///< of the whole picture

  const std::uint8_t* first() const { return pixels.row(where.top) + where.left * pixels.channels(); }
};

/// Decodes the box that choose(height, width) returns for the picture decode(options)(file), and as little of the rest
/// as the decoder can. `choose` may be called twice, if a damaged file has two sizes; the last call counts.
/// `enough(box)`: the denominator up to which the box may be reduced. Throws as decode() does.
template <class Choose, class Enough>
picture_part decode_part(byte_span file, const decode_options& options, Choose&& choose, Enough&& enough) {
  std::optional<picture_part> part;
#if defined(PLUMBLINE_HAS_TURBOJPEG) && defined(PLUMBLINE_HAS_JPEG)
  if (is_jpeg(file)) {
    jpeg_box_reader reader(file, options.channels);
    const std::size_t h = reader.height(), w = reader.width();
    if (reader.sound() && w <= options.max_pixels / h) {
      const int turn = options.apply_exif_orientation ? exif_orientation(file) : 1;
      const std::size_t turned_h = turn < 5 ? h : w, turned_w = turn < 5 ? w : h;
      const box wanted = choose(turned_h, turned_w);
      auto got = wanted.height == 0 || wanted.width == 0
                     ? std::nullopt
                     : reader.read(oriented(wanted, undone(turn), turned_h, turned_w), enough(wanted));
      if (got) {
        const box where = oriented(got->second, turn, got->first.height(), got->first.width());
        return {oriented(std::move(got->first), turn), where, turned_h, turned_w};
      }
      part.emplace(picture_part{{}, wanted, turned_h, turned_w});
    }
  }
#endif
  auto whole = decode(options)(file);
  const std::size_t h = whole.height(), w = whole.width();
  const bool chosen = part && part->height == h && part->width == w;
  const box where = chosen ? part->where : choose(h, w);
  static_cast<void>(enough);
  return {std::move(whole), where, h, w};
}

/// The largest denominator with which the box stays at least as large as the result.
inline unsigned reduced(reduction how, const box& b, std::size_t height, std::size_t width) {
  unsigned d = 1;
  while (how == reduction::by_dct && d < 8 && b.height >= 2 * d * height && b.width >= 2 * d * width) d *= 2;
  return d;
}

}  // namespace detail
}  // namespace plumbline
