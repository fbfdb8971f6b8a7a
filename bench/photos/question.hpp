#pragma once
/// Photographs to training batches: files, a new order every epoch, read, decode, random resized crop to 224, random
/// flip, normalise, planar, batches of 32 in order. Contenders differ only in how they run the functions of
/// plumbline/image/.

#include <array>
#include <functional>
#include <plumbline/image/decode.hpp>
#include <plumbline/image/normalize.hpp>
#include <plumbline/image/random_flip.hpp>
#include <plumbline/image/random_resized_crop.hpp>
#include <plumbline/image/to_planar.hpp>
#include <plumbline/sources/file_list.hpp>
#include <string>
#include <vector>

namespace photos {

namespace pl = plumbline;

inline constexpr std::size_t batch_size = 32, side = 224;
inline constexpr std::array mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};
inline constexpr auto crop = pl::random_resized_crop<side, side>();
inline constexpr auto flip = pl::random_flip();
inline constexpr auto normalize = pl::normalize(mean, deviation);
inline constexpr auto planar = pl::to_planar();

/// The library's decoder as built: libjpeg-turbo for JPEG if available, else stb_image.
struct usual_decoder {
  pl::image operator()(const pl::byte_tensor& file) const { return pl::decode()(file); }
};
/// stb_image, even if other decoders are available.
struct stb_decoder {
  pl::image operator()(const pl::byte_tensor& file) const { return pl::detail::decode_stb(file.span(), {}); }
};

/// The consumer of a batch: reads one value of every photograph.
[[gnu::noinline]] inline double look_at(const float* pixels, std::size_t n) {
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) s += double{pixels[i * 3 * side * side]};
  return s;
}

/// What a contender delivered.
struct delivered {
  std::size_t photos = 0, batches = 0;
  double looked = 0;
};
/// Runs `epochs` epochs with `threads` threads besides the consumer's.
using contender = std::function<delivered(const pl::file_list&, std::size_t threads, std::size_t epochs)>;

contender plumbline_runs(bool stb);
contender by_hand_runs(bool stb);

}  // namespace photos
