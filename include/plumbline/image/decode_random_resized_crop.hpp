#pragma once
#include <cstddef>
#include <cstdint>

#include <plumbline/image/decode_part.hpp>
#include <plumbline/image/random_resized_crop.hpp>

namespace plumbline {

namespace detail {

/// Decodes the box of random_resized_crop and resizes it into out(channels).
template <class Out>
void decode_resized_box(byte_span file, const decode_options& options, const crop_range& range, reduction how,
                        std::size_t height, std::size_t width, rng& random, Out&& out) {
  const auto choose = [&, start = random](std::size_t h, std::size_t w) {
    random = start;
    return random_box(h, w, range, random);
  };
  const auto part = decode_part(file, options, choose, [&](const box& b) { return reduced(how, b, height, width); });
  resample(detail::view_of(part.pixels), part.where, height, width, out(part.pixels.channels()));
}

template <std::size_t H, std::size_t W, std::size_t C> struct decode_random_resized_crop_fixed {
  using wants = contents_of_an_image_file;
  crop_range range;
  decode_options options;
  reduction how;

  template <encoded_picture X> fixed_image<H, W, C> operator()(const X& file, rng& random) const {
    auto out = fixed_image<H, W, C>::uninitialized();
    decode_resized_box(encoded(file), options, range, how, H, W, random, [&](std::size_t) { return out.data(); });
    return out;
  }
};

struct decode_random_resized_crop_to {
  using wants = contents_of_an_image_file;
  std::size_t height, width;
  crop_range range;
  decode_options options;
  reduction how;

  template <encoded_picture X> tensor<std::uint8_t> operator()(const X& file, rng& random) const {
    tensor<std::uint8_t> out;
    decode_resized_box(encoded(file), options, range, how, height, width, random, [&](std::size_t channels) {
      out = tensor<std::uint8_t>::uninitialized({height, width, channels});
      return out.data();
    });
    return out;
  }
};

}  // namespace detail

/// decode() and random_resized_crop<H, W>() in one: the same elements, including the draws, but of a JPEG little more
/// than the box is decoded. About 1.5 times as many photos per second (docs/benchmarks.md). Where decoded pictures
/// can be cached between the two, they are faster apart; pick_best finds out.
///   pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode_random_resized_crop<224, 224>())
///   pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode_random_resized_crop<96, 96, 1>({.min_scale = 0.3}))
/// Takes what decode() takes -> fixed_image<H, W, Channels>; decoded to Channels, whatever options.channels says.
///
/// The pixels are those of the two functions, bit for bit: above the box only the codes are read, next to it nothing is
/// transformed, and of a JPEG with one scan nothing below it is decoded. That needs both of libjpeg-turbo's interfaces,
/// of one release: CMake's plumbline::turbojpeg links what it finds; without CMake, define PLUMBLINE_HAS_TURBOJPEG and
/// PLUMBLINE_HAS_JPEG, and link -lturbojpeg -ljpeg. Without them, and for other formats, four inks and files with any
/// damage that is found, the whole picture is decoded and cropped: errors are those of decode().
///
/// reduction::by_dct: the picture is decoded at a half, quarter or eighth where the box is that much larger than H x W;
/// pixels then differ. Throws decode_error as decode() does. Thread-safe. O(codes down to the box's end + box + out).
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3>
constexpr auto decode_random_resized_crop(const crop_range& range = {}, decode_options options = {},
                                          reduction how = reduction::none) {
  static_assert(detail::are_channels(Channels),
                "plumbline: decode_random_resized_crop: channels are 1 (grey), 3 (RGB) or 4 (RGB and alpha)");
  options.channels = Channels;
  return detail::decode_random_resized_crop_fixed<Height, Width, Channels>{range, options, how};
}

/// The same with a size known at run time; gives tensor<std::uint8_t> [height, width, options.channels].
constexpr auto decode_random_resized_crop(std::size_t height, std::size_t width, const crop_range& range = {},
                                          const decode_options& options = {}, reduction how = reduction::none) {
  return detail::decode_random_resized_crop_to{height, width, range, detail::checked(options), how};
}

}  // namespace plumbline
