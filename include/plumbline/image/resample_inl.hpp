#pragma once
/// Definitions of image/resample.hpp.

#include <plumbline/image/resample.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumbline::detail {

inline constexpr int weight_bits = 14;  // a weight of one fits a signed 16-bit number
inline constexpr int middle_bits = 7;   // fraction bits between the passes: 255 << 7 fits a signed 16-bit number

/// How each of `out` samples is made from `in` samples along one axis. All outputs have the same, even number of taps
/// (padded with zero weights, which may be beyond the end), so that the inner loops can be unrolled.
struct filter {
  std::size_t pairs = 0;              // half the number of taps
  std::vector<std::size_t> first;     // for each output, its first source sample
  std::vector<std::int16_t> weights;  // for each output, 2 * pairs weights; their sum is 1 << weight_bits

  const std::int16_t* of(std::size_t output) const noexcept { return weights.data() + output * 2 * pairs; }

  /// Output x is centred at c = (x + 1/2) in / out; source sample i has the weight max(0, 1 - |i + 1/2 - c| / s),
  /// s = max(in / out, 1), divided by the sum of weights. Times 2 s out, that is an integer.
  filter(std::size_t in, std::size_t out) : first(out) {
    const auto n = static_cast<std::int64_t>(in), m = static_cast<std::int64_t>(out), reach = 2 * std::max(n, m);
    // the taps lie strictly inside an interval of length reach / m; and one step of the source is 2 m
    const std::int64_t most = n == m ? 1 : std::min(n, (reach + m - 1) / m);
    pairs = static_cast<std::size_t>((most + 1) / 2);
    weights.resize(2 * pairs * out);
    std::int64_t start = 0;
    for (std::int64_t x = 0; x < m; ++x) {
      const std::int64_t centre = (2 * x + 1) * n;
      const auto part = [&](std::int64_t i) { return reach - std::abs((2 * i + 1) * m - centre); };
      while (part(start) <= 0) ++start;
      std::int64_t end = start, sum = 0;
      while (end < n && part(end) > 0) sum += part(end++);
      first[static_cast<std::size_t>(x)] = static_cast<std::size_t>(start);
      // Running sums are rounded, not weights, so that the total is exact for any number of taps. Each is one product
      // with nothing added to it: no machine can fuse it into something else.
      const double scale = static_cast<double>(std::int64_t{2} << weight_bits) / static_cast<double>(sum);
      std::int16_t* w = weights.data() + static_cast<std::size_t>(x) * 2 * pairs;
      std::int64_t so_far = 0;
      int given = 0;
      for (std::int64_t i = start; i < end; ++i) {
        so_far += part(i);
        const int upto = (static_cast<int>(static_cast<double>(so_far) * scale) + 1) >> 1;
        *w++ = static_cast<std::int16_t>(upto - given);
        given = upto;
      }
    }
  }
};

#ifdef __SSE2__
/// A pair of weights, four times: what _mm_madd_epi16 multiplies pairs of samples with.
inline __m128i two_weights(const std::int16_t* w) noexcept {
  std::int32_t both;
  std::memcpy(&both, w, sizeof both);
  return _mm_set1_epi32(both);
}
#endif

/// Weighted sums of the samples below each other in `rows`: 16-bit samples with middle_bits of fraction.
/// Pairs is the number of pairs of rows if it is known at compile time (the loop then unrolls), else 0.
template <std::size_t Pairs>
void blend_rows(const std::uint8_t* const* rows, const std::int16_t* w, std::size_t pairs, std::size_t size,
                std::int16_t* out) {
  constexpr int shift = weight_bits - middle_bits, half = 1 << (shift - 1);
  const std::size_t n = Pairs == 0 ? pairs : Pairs;
  std::size_t x = 0;
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128();
  for (; x + 16 <= size; x += 16) {
    __m128i s0 = _mm_set1_epi32(half), s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t p = 0; p < n; ++p) {
      const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[2 * p] + x));
      const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[2 * p + 1] + x));
      const __m128i ww = two_weights(w + 2 * p);
      const __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
      s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), ww));
      s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), ww));
      s2 = _mm_add_epi32(s2, _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), ww));
      s3 = _mm_add_epi32(s3, _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), ww));
    }
    auto* to = reinterpret_cast<__m128i*>(out + x);
    _mm_storeu_si128(to, _mm_packs_epi32(_mm_srai_epi32(s0, shift), _mm_srai_epi32(s1, shift)));
    _mm_storeu_si128(to + 1, _mm_packs_epi32(_mm_srai_epi32(s2, shift), _mm_srai_epi32(s3, shift)));
  }
#endif
  for (; x < size; ++x) {
    int sum = half;
    for (std::size_t k = 0; k < 2 * n; ++k) sum += w[k] * rows[k][x];
    out[x] = static_cast<std::int16_t>(sum >> shift);
  }
}

/// One output row from one blended row of 16-bit samples, which may be read up to 2 * pairs pixels beyond its end.
/// C and Pairs are 0 if not known at compile time.
template <std::size_t C, std::size_t Pairs>
void blend_columns(const std::int16_t* row, const filter& f, std::size_t channels, std::uint8_t* out) {
  constexpr int shift = weight_bits + middle_bits, half = 1 << (shift - 1);
  const std::size_t c_count = C == 0 ? channels : C, pairs = Pairs == 0 ? f.pairs : Pairs, width = f.first.size();
  const std::int16_t* w = f.weights.data();
  for (std::size_t x = 0; x < width; ++x, w += 2 * pairs) {
    const std::int16_t* from = row + f.first[x] * c_count;
#ifdef __SSE2__
    if constexpr (C == 3 || C == 4) {
      __m128i sum = _mm_set1_epi32(half);
      const auto add_pair = [&](std::size_t p) {
        const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + 2 * C * p));
        const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + 2 * C * p + C));
        sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), two_weights(w + 2 * p)));
      };
      if constexpr (Pairs == 0) {
        for (std::size_t p = 0; p < pairs; ++p) add_pair(p);
      } else {  // compilers at -O2 would keep the loop
        [&]<std::size_t... P>(std::index_sequence<P...>) { (add_pair(P), ...); }
        (std::make_index_sequence<Pairs>{});
      }
      const __m128i words = _mm_packs_epi32(_mm_srai_epi32(sum, shift), sum);
      const int pixel = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
      // four bytes at once except for the last pixel: the next pixel overwrites the fourth
      if (C == 4 || x + 1 < width)
        std::memcpy(out + C * x, &pixel, 4);
      else
        std::memcpy(out + C * x, &pixel, C);
      continue;
    }
#endif
    for (std::size_t c = 0; c < c_count; ++c) {
      int sum = half;
      for (std::size_t k = 0; k < 2 * pairs; ++k) sum += w[k] * from[k * c_count + c];
      out[c_count * x + c] = static_cast<std::uint8_t>(sum >> shift);
    }
  }
}

PLUMBLINE_INLINE void resample(picture_view<const std::uint8_t> source, const box& from, std::size_t height,
                               std::size_t width, std::uint8_t* out) {
  if (height == 0 || width == 0 || source.channels == 0) return;
  const std::size_t channels = source.channels, size = from.width * channels;
  const filter down(from.height, height), across(from.width, width);
  const auto columns = channels == 3   ? (across.pairs == 1   ? blend_columns<3, 1>
                                          : across.pairs == 2 ? blend_columns<3, 2>
                                          : across.pairs == 3 ? blend_columns<3, 3>
                                                              : blend_columns<3, 0>)
                       : channels == 1 ? blend_columns<1, 0>
                       : channels == 4 ? blend_columns<4, 0>
                                       : blend_columns<0, 0>;
  std::vector<std::int16_t> row(size + 2 * across.pairs * channels + 8);
  std::vector<const std::uint8_t*> rows(2 * down.pairs);
  const std::uint8_t* origin = source.row(from.top) + from.left * channels;
  for (std::size_t y = 0; y < height; ++y, out += width * channels) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k] = origin + std::min(down.first[y] + k, from.height - 1) * source.row_size();
    }
    if (down.pairs == 1)
      blend_rows<1>(rows.data(), down.of(y), 1, size, row.data());
    else if (down.pairs == 2)
      blend_rows<2>(rows.data(), down.of(y), 2, size, row.data());
    else
      blend_rows<0>(rows.data(), down.of(y), down.pairs, size, row.data());
    columns(row.data(), across, channels, out);
  }
}

}  // namespace plumbline::detail
