#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <plumbline/core/rng.hpp>
#include <plumbline/image/picture.hpp>

namespace plumbline {

namespace detail {

/// (x - 255 mean) * (1 / (255 deviation)): a difference, then a product, which no machine can fuse; so the result is
/// the same everywhere.
template <std::size_t C> struct normalize_fn {
  using wants = image;
  static constexpr std::size_t period = 16 * C;  // whole pixels and whole vectors
  std::array<float, period> zero, scale;         // per channel, repeated

  constexpr normalize_fn(const float* mean, const float* deviation) : zero{}, scale{} {
    for (std::size_t i = 0; i < period; ++i) {
      zero[i] = static_cast<float>(255.0 * double{mean[i % C]});
      scale[i] = static_cast<float>(1.0 / (255.0 * double{deviation[i % C]}));
    }
  }

  /// Identifies the means and deviations.
  std::uint64_t content() const {
    std::uint64_t hash = C;
    for (std::size_t i = 0; i != C; ++i)
      hash = hash_combine(hash_combine(hash, std::bit_cast<std::uint32_t>(zero[i])),
                          std::bit_cast<std::uint32_t>(scale[i]));
    return hash;
  }

  template <byte_picture P> auto operator()(const P& x) const {
    const auto v = detail::view_of(x);
    if (v.channels != C) {
      throw shape_mismatch("plumbline: normalize was given " + std::to_string(C) + " means for a picture of " +
                           std::to_string(v.channels) + " channels; give one for each channel");
    }
    auto out = with_samples<P, float>::like(x);
    float* to = out.data();
    const std::uint8_t* from = v.data;
    const std::size_t n = v.size();
    std::size_t i = 0;
    for (; i + period <= n; i += period) {
      for (std::size_t k = 0; k < period; k += 16) sixteen(from + i + k, k, to + i + k);
    }
    for (std::size_t k = 0; i + k < n; ++k) to[i + k] = (static_cast<float>(from[i + k]) - zero[k]) * scale[k];
    return out;
  }

 private:
  /// Written out because compilers at -O2 leave it scalar, three times as slow.
  void sixteen(const std::uint8_t* from, std::size_t k, float* to) const noexcept {
#ifdef __SSE2__
    const __m128i none = _mm_setzero_si128(), x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i low = _mm_unpacklo_epi8(x, none), high = _mm_unpackhi_epi8(x, none);
    const __m128i words[] = {_mm_unpacklo_epi16(low, none), _mm_unpackhi_epi16(low, none),
                             _mm_unpacklo_epi16(high, none), _mm_unpackhi_epi16(high, none)};
    for (std::size_t j = 0; j < 4; ++j, k += 4, to += 4) {
      const __m128 d = _mm_sub_ps(_mm_cvtepi32_ps(words[j]), _mm_loadu_ps(&zero[k]));
      _mm_storeu_ps(to, _mm_mul_ps(d, _mm_loadu_ps(&scale[k])));
    }
#else
    for (std::size_t j = 0; j < 16; ++j) to[j] = (static_cast<float>(from[j]) - zero[k + j]) * scale[k + j];
#endif
  }
};

}  // namespace detail

/// Bytes to floats: (x / 255 - mean) / deviation, one mean and one deviation for each channel. The kind of picture and
/// its layout are kept: fixed_image<H, W, C> -> fixed_tensor<float, H, W, C>, tensor -> tensor<float>, image ->
/// basic_image<float>.
///   pl::map(pl::normalize({0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}))
/// Within 1e-6 of torchvision's ToTensor and Normalize.
/// Throws shape_mismatch for another number of channels. O(pixels).
template <std::size_t Channels>
constexpr auto normalize(const float (&mean)[Channels], const float (&deviation)[Channels]) {
  return detail::normalize_fn<Channels>(mean, deviation);
}
template <std::size_t Channels>
constexpr auto normalize(const std::array<float, Channels>& mean, const std::array<float, Channels>& deviation) {
  return detail::normalize_fn<Channels>(mean.data(), deviation.data());
}

}  // namespace plumbline
