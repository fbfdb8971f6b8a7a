// Each operation against torchvision's definition; numbers from tests/image/reference.hpp.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include <plumbline/data/collate.hpp>
#include <plumbline/image/center_crop.hpp>
#include <plumbline/image/normalize.hpp>
#include <plumbline/image/random_flip.hpp>
#include <plumbline/image/random_resized_crop.hpp>
#include <plumbline/image/resize.hpp>
#include <plumbline/image/to_planar.hpp>

#include "pictures.hpp"
#include "reference.hpp"

namespace pl = plumbline;
using pl::detail::view_of;

namespace {

template <class Values> int largest_difference(const std::uint8_t* got, const Values& wanted) {
  int most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) most = std::max(most, std::abs(int{got[i]} - wanted[i]));
  return most;
}

// the result types that map() relies on
using picture = pl::fixed_image<224, 224>;
static_assert(
    std::same_as<decltype(pl::random_resized_crop<224, 224>()(std::declval<pl::image>(), std::declval<pl::rng&>())),
                 picture>);
static_assert(std::same_as<decltype(pl::random_flip()(std::declval<picture>(), std::declval<pl::rng&>())), picture>);
static_assert(std::same_as<decltype(pl::normalize({0.f, 0.f, 0.f}, {1.f, 1.f, 1.f})(std::declval<picture>())),
                           pl::fixed_tensor<float, 224, 224, 3>>);
static_assert(std::same_as<decltype(pl::to_planar()(std::declval<pl::fixed_tensor<float, 224, 224, 3>>())),
                           pl::fixed_tensor<float, 3, 224, 224>>);
static_assert(std::same_as<decltype(pl::resize(2, 3)(std::declval<pl::image>())), pl::tensor<std::uint8_t>>);
static_assert(std::same_as<decltype(pl::resize_shorter(2)(std::declval<pl::image>())), pl::image>);
static_assert(!std::invocable<decltype(pl::resize(2, 3)), pl::tensor<float>>);
static_assert(!pl::collatable<pl::image> && pl::collatable<picture> && pl::collatable<pl::tensor<std::uint8_t>>);

}  // namespace

TEST_CASE("resize and crop-and-resize agree with torchvision and Pillow within one grey level") {
  for (const auto& c : reference::resizes) {
    CAPTURE(c.h, c.w, c.top, c.left, c.height, c.width, c.out_h, c.out_w);
    const auto in = formula_picture(c.h, c.w);
    std::vector<std::uint8_t> out(c.out_h * c.out_w * 3);
    pl::detail::resample(view_of(in), {c.top, c.left, c.height, c.width}, c.out_h, c.out_w, out.data());
    CHECK(largest_difference(out.data(), c.torchvision) <= 1);
    CHECK(largest_difference(out.data(), c.pillow) <= 1);
  }
}

TEST_CASE("resize is closer to the real-valued definition than its 8-bit references") {
  std::size_t different = 0, all = 0;
  double worst = 0;
  for (const auto& c : reference::resizes) {
    const auto in = formula_picture(c.h, c.w);
    std::vector<std::uint8_t> out(c.out_h * c.out_w * 3);
    pl::detail::resample(view_of(in), {c.top, c.left, c.height, c.width}, c.out_h, c.out_w, out.data());
    const auto weights = [](std::size_t n, std::size_t m, std::size_t x) {
      const double scale = double(n) / double(m), s = std::max(scale, 1.0), centre = (double(x) + 0.5) * scale;
      std::vector<double> w(n);
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += w[i] = std::max(0.0, 1 - std::abs(double(i) + 0.5 - centre) / s);
      for (double& v : w) v /= sum;
      return w;
    };
    for (std::size_t y = 0; y < c.out_h; ++y) {
      const auto wy = weights(c.height, c.out_h, y);
      for (std::size_t x = 0; x < c.out_w; ++x) {
        const auto wx = weights(c.width, c.out_w, x);
        for (std::size_t k = 0; k < 3; ++k) {
          double exact = 0;
          for (std::size_t i = 0; i < c.height; ++i) {
            if (wy[i] > 0) {
              for (std::size_t j = 0; j < c.width; ++j) exact += wy[i] * wx[j] * in(c.top + i, c.left + j, k);
            }
          }
          const std::size_t at = (y * c.out_w + x) * 3 + k;
          worst = std::max(worst, std::abs(out[at] - exact));
          different += out[at] != c.torchvision[at];
          ++all;
        }
      }
    }
  }
  CHECK(worst < 0.56);  // 0.5 is the rounding of the result itself
  INFO(different << " of " << all << " samples differ from torchvision");
  CHECK(different * 8 < all);
}

TEST_CASE("every number of channels and every width uses the same arithmetic") {
  for (std::size_t w : {1u, 2u, 3u, 5u, 16u, 17u, 40u}) {
    for (std::size_t out_w : {1u, 4u, 7u, 50u}) {
      const auto whole = formula_picture(9, w, 5);
      pl::image out(6, out_w, 5);
      pl::detail::resample(view_of(std::as_const(whole)), {0, 0, 9, w}, 6, out_w, out.data());
      for (std::size_t c : {1u, 2u, 3u, 4u}) {
        CAPTURE(w, out_w, c);
        auto part = pl::image::uninitialized(9, w, c);
        for (std::size_t i = 0; i < 9 * w; ++i) std::copy_n(whole.data() + 5 * i, c, part.data() + c * i);
        const auto got = pl::resize(6, out_w)(part);
        bool same = true;
        for (std::size_t i = 0; i < 6 * out_w; ++i)
          same = same && std::equal(got.data() + c * i, got.data() + c * i + c, out.data() + 5 * i);
        CHECK(same);
      }
    }
  }
}

TEST_CASE("static and run-time resize agree; a constant picture stays constant") {
  const auto in = formula_picture(37, 23);
  const auto fixed = pl::resize<8, 9>()(in);
  CHECK(pl::tensor<std::uint8_t>(fixed) == pl::resize(8, 9)(in));
  for (int value : {0, 1, 127, 254, 255}) {
    const pl::image flat(pl::tensor<std::uint8_t>({300, 77, 3}, static_cast<std::uint8_t>(value)));
    const auto out = pl::resize(5, 100)(flat);
    CHECK(std::all_of(out.data(), out.data() + out.size(), [&](std::uint8_t v) { return v == value; }));
  }
  CHECK_THROWS_AS((pl::resize<8, 9>()(formula_picture(4, 4, 1))), pl::shape_mismatch);
  CHECK_THROWS_AS(pl::resize(8, 9)(pl::image()), pl::shape_mismatch);
}

TEST_CASE("resize_shorter gives torchvision's sizes") {
  for (const auto& c : reference::shorters) {
    const auto out = pl::resize_shorter(c.side)(pl::image(c.h, c.w, 3));
    CHECK(out.height() == c.out_h);
    CHECK(out.width() == c.out_w);
  }
}

TEST_CASE("center_crop matches torchvision, including padding and odd margins") {
  for (const auto& c : reference::crops) {
    CAPTURE(c.h, c.w, c.out_h, c.out_w);
    const auto out = pl::center_crop(c.out_h, c.out_w)(formula_picture(c.h, c.w));
    CHECK(out.shape() == pl::shape{c.out_h, c.out_w, 3});
    CHECK(largest_difference(out.data(), c.torchvision) == 0);
  }
  const auto in = formula_picture(9, 8);
  CHECK(pl::tensor<std::uint8_t>(pl::center_crop<4, 5>()(in)) == pl::center_crop(4, 5)(in));
}

TEST_CASE("normalize and to_planar match ToTensor and Normalize") {
  const auto norm = pl::normalize({0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f});
  const auto check = [](const pl::tensor<float>& planar) {
    CHECK(planar.shape() == pl::shape{3, 5, 7});
    for (std::size_t i = 0; i < planar.size(); ++i) {
      CHECK(std::abs(planar.data()[i] - reference::normalized[i]) < 1e-6f);
    }
  };
  const auto in = formula_picture(5, 7);
  check(pl::to_planar()(norm(in)));
  check(pl::to_planar()(norm(in.pixels)));
  check(pl::to_planar()(norm(pl::center_crop<5, 7>()(in))));
  CHECK_THROWS_AS(norm(formula_picture(2, 2, 4)), pl::shape_mismatch);
  CHECK_THROWS_AS(pl::to_planar()(pl::tensor<float>({4, 4})), pl::shape_mismatch);
  // long enough for the vector loop and its remainder, for any number of channels
  const auto one = pl::normalize({0.5f}, {0.25f})(formula_picture(7, 31, 1));
  for (std::size_t i = 0; i < one.pixels.size(); ++i) {
    CHECK(one.data()[i] == Approx((formula_picture(7, 31, 1).data()[i] / 255.0 - 0.5) / 0.25).margin(1e-6));
  }
}

TEST_CASE("random_flip mirrors, half of the time") {
  for (std::size_t c : {1u, 2u, 3u, 4u}) {
    for (std::size_t w : {1u, 2u, 3u, 8u, 9u}) {
      const auto in = formula_picture(4, w, c);
      pl::rng random(1);
      const auto out = pl::random_flip(1)(in, random);
      for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t x = 0; x < w; ++x) {
          for (std::size_t k = 0; k < c; ++k) CHECK(out(y, x, k) == in(y, w - 1 - x, k));
        }
      }
      CHECK(pl::random_flip(0)(in, random) == in);
    }
  }
  int flipped = 0;
  const auto in = formula_picture(1, 2);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    pl::rng random(7, i);
    flipped += !(pl::random_flip()(in, random) == in);
  }
  CHECK(std::abs(flipped - 5000) < 5 * 50);
}

TEST_CASE("random_resized_crop's boxes are distributed as torchvision's") {
  constexpr int n = 100000;
  for (const auto& c : reference::boxes) {
    CAPTURE(c.h, c.w);
    double sum[4] = {};
    for (int i = 0; i < n; ++i) {
      pl::rng random(3, static_cast<std::uint64_t>(i));
      const auto b = pl::detail::random_box(c.h, c.w, {}, random);
      REQUIRE((b.height >= 1 && b.width >= 1 && b.top + b.height <= c.h && b.left + b.width <= c.w));
      sum[0] += double(b.height * b.width) / double(c.h * c.w);
      sum[1] += std::log(double(b.width) / double(b.height));
      sum[2] += (double(b.top) + 0.5) / double(c.h - b.height + 1);
      sum[3] += (double(b.left) + 0.5) / double(c.w - b.width + 1);
    }
    const double* wanted[] = {c.area, c.log_ratio, c.top, c.left};
    for (int k = 0; k < 4; ++k) {
      CAPTURE(k);
      // both are means of n draws: five standard errors of their difference
      CHECK(std::abs(sum[k] / n - wanted[k][0]) < 5 * wanted[k][1] * std::sqrt(2.0 / n) + 1e-4);
    }
  }
}

TEST_CASE("random_resized_crop falls back to the largest centred box") {
  pl::rng random(1);
  // no attempt can fit: the whole of a picture 100 times as wide as high has a ratio out of range
  CHECK(pl::detail::random_box(10, 1000, {.min_scale = 1.0}, random) == pl::detail::box{0, 493, 10, 13});
  CHECK(pl::detail::random_box(1000, 10, {.min_scale = 1.0}, random) == pl::detail::box{493, 0, 13, 10});
  CHECK(pl::detail::random_box(1, 1, {}, random) == pl::detail::box{0, 0, 1, 1});
}

TEST_CASE("the same random stream gives the same crop, another one a different crop") {
  const auto in = formula_picture(60, 80);
  const auto crop = pl::random_resized_crop<16, 16>();
  pl::rng a(5, 1), b(5, 1), c(5, 2);
  const auto x = crop(in, a), y = crop(in, b), z = crop(in, c);
  CHECK(x == y);
  CHECK_FALSE(x == z);
  pl::rng d(5, 1);
  CHECK(pl::random_resized_crop(16, 16)(in, d) == pl::tensor<std::uint8_t>(x));
}

TEST_CASE("the same bits on every machine, with every instruction set") {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  const auto add = [&](const void* data, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ULL;
  };
  const auto norm = pl::normalize({0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f});
  for (std::uint64_t i = 0; i < 50; ++i) {
    pl::rng random(1, i);
    const auto crop = pl::random_resized_crop<33, 47>()(formula_picture(90 + i, 140 - i), random);
    add(crop.data(), crop.size());
    const auto floats = norm(crop);
    add(floats.data(), floats.size_bytes());
  }
  CHECK(hash == 0x6b5ef658dd86dee1ULL);
}
