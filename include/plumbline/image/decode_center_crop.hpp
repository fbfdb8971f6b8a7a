#pragma once
#include <cstddef>
#include <cstdint>

#include <plumbline/image/center_crop.hpp>
#include <plumbline/image/decode_part.hpp>

namespace plumbline {

namespace detail {

/// Decodes the middle of a picture into out(channels).
template <class Out>
void decode_centre(byte_span file, const decode_options& options, std::size_t height, std::size_t width, Out&& out) {
  const auto choose = [&](std::size_t h, std::size_t w) {
    const auto y = centred::in(h, height), x = centred::in(w, width);
    return box{y.from, x.from, y.count, x.count};
  };
  const auto part = decode_part(file, options, choose, [](const box&) { return 1U; });
  const std::size_t channels = part.pixels.channels();
  put_centre(part.first(), part.pixels.width() * channels, centred::in(part.height, height),
             centred::in(part.width, width), channels, height, width, out(channels));
}

template <std::size_t H, std::size_t W, std::size_t C> struct decode_center_crop_fixed {
  using wants = contents_of_an_image_file;
  decode_options options;

  template <encoded_picture X> fixed_image<H, W, C> operator()(const X& file) const {
    auto out = fixed_image<H, W, C>::uninitialized();
    decode_centre(encoded(file), options, H, W, [&](std::size_t) { return out.data(); });
    return out;
  }
};

struct decode_center_crop_to {
  using wants = contents_of_an_image_file;
  std::size_t height, width;
  decode_options options;

  template <encoded_picture X> tensor<std::uint8_t> operator()(const X& file) const {
    tensor<std::uint8_t> out;
    decode_centre(encoded(file), options, height, width, [&](std::size_t channels) {
      out = tensor<std::uint8_t>::uninitialized({height, width, channels});
      return out.data();
    });
    return out;
  }
};

}  // namespace detail

/// decode() and center_crop<H, W>() in one: the same pixels, but of a JPEG little more than the middle is decoded.
/// See decode_random_resized_crop for when that is so, and for what it takes and throws.
///   pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode_center_crop<224, 224>())  // -> fixed_image<224, 224, 3>
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3>
constexpr auto decode_center_crop(decode_options options = {}) {
  static_assert(detail::are_channels(Channels),
                "plumbline: decode_center_crop: channels are 1 (grey), 3 (RGB) or 4 (RGB and alpha)");
  options.channels = Channels;
  return detail::decode_center_crop_fixed<Height, Width, Channels>{options};
}

/// The same with a size known at run time; gives tensor<std::uint8_t> [height, width, options.channels].
constexpr auto decode_center_crop(std::size_t height, std::size_t width, const decode_options& options = {}) {
  return detail::decode_center_crop_to{height, width, detail::checked(options)};
}

}  // namespace plumbline
