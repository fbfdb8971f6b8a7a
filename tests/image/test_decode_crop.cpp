// decode and crop in one function give the pixels and the errors of the two functions, bit for bit, for all inputs.
#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include <plumbline/data/on_first.hpp>
#include <plumbline/image/decode_center_crop.hpp>
#include <plumbline/image/decode_random_resized_crop.hpp>
#include <plumbline/image/random_flip.hpp>
#include <plumbline/image/write_png.hpp>

#include <support/skip.hpp>
#include "jpegs.hpp"

#include "pictures.hpp"

namespace pl = plumbline;

namespace {

struct contents {
  std::string path;
  pl::byte_tensor data;
};

/// Every `every`-th picture below the folder.
std::vector<contents> pictures_in(const std::string& folder, std::size_t every = 1) {
  std::vector<contents> found;
  if (!std::filesystem::is_directory(folder)) {
    plumbline_test::skip("no " + folder + "; set PLUMBLINE_DATA to the folder of real inputs");
    return found;
  }
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto end = entry.path().extension().string();
    if (entry.is_regular_file() && end != ".txt" && end != ".csv" && end != ".npy") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (std::size_t i = 0; i < paths.size(); i += every) found.push_back({paths[i], file_bytes(paths[i])});
  return found;
}
std::vector<contents> own_pictures() {
  const std::string here = __FILE__;
  return pictures_in(here.substr(0, here.rfind("tests/image/")) + "examples/data/photos");
}

/// The result of a function, or its error message.
template <class F> auto outcome(F&& f) {
  std::pair<std::optional<decltype(f())>, std::string> out;
  try {
    out.first.emplace(f());
  } catch (const std::exception& e) {
    out.second = e.what();
  }
  return out;
}

/// Checks that decode | random_resized_crop and both in one agree: pixels or error, and the generator afterwards.
template <std::size_t C = 3>
void same_crop(const contents& file, std::uint64_t seed, pl::decode_options options = {}, bool pixels = true) {
  CAPTURE(file.path, seed);
  options.channels = C;
  pl::rng a(seed), b(seed);
  const auto two = outcome([&] { return pl::random_resized_crop<48, 40, C>()(pl::decode(options)(file.data), a); });
  const auto one = outcome([&] { return pl::decode_random_resized_crop<48, 40, C>({}, options)(file, b); });
  CHECK(one.second == two.second);
  CHECK(one.first.has_value() == two.first.has_value());
  if (pixels) CHECK(one.first == two.first);
  if (two.first) CHECK(a() == b());
}

}  // namespace

#if defined(PLUMBLINE_HAS_TURBOJPEG) && defined(PLUMBLINE_HAS_JPEG)
namespace {
/// Checks that a box that jpeg_box_reader reads has the pixels of the whole picture.
void same_box(const pl::byte_tensor& file, const pl::image& whole, const pl::detail::box& b) {
  pl::detail::jpeg_box_reader reader(file.span(), whole.channels());
  REQUIRE(reader.sound());
  const auto got = reader.read(b);
  REQUIRE(got);
  bool same = got->second.height == b.height && got->second.width == b.width;
  for (std::size_t y = 0; same && y != b.height; ++y)
    same = std::equal(whole.row(b.top + y) + b.left * whole.channels(),
                      whole.row(b.top + y) + (b.left + b.width) * whole.channels(),
                      got->first.row(got->second.top + y) + got->second.left * whole.channels());
  if (same) return;
  CAPTURE(b.top, b.left, b.height, b.width);
  FAIL_CHECK("pixels differ");
}
}  // namespace

TEST_CASE("a box of a JPEG has the pixels of the whole, for every kind of JPEG and position of the box") {
  for (const auto& kind : jpeg_kinds)
    for (const auto& [h, w] : {std::pair{67, 83}, {64, 96}, {33, 17}, {5, 70}, {40, 2}, {1, 1}, {16, 35}, {34, 33}}) {
      CAPTURE(kind.name, h, w);
      const auto height = static_cast<std::size_t>(h), width = static_cast<std::size_t>(w);
      const auto file = jpeg_of(formula_picture(height, width, kind.grey ? 1 : 3), kind);
      const auto whole = pl::decode()(file);
      same_box(file, whole, {0, 0, height, width});
      for (std::size_t top = 0; top != height; ++top) {
        const std::size_t left = (top * 7) % width;
        same_box(file, whole, {top, left, 1, 1});
        same_box(file, whole, {top, 0, height - top, width});
        same_box(file, whole, {0, left, top + 1, width - left});
        same_box(file, whole,
                 {top, left, std::min<std::size_t>(height - top, 9), std::min<std::size_t>(width - left, 5)});
      }
      for (std::size_t left = 0; left != width; ++left) {
        const std::size_t top = (left * 5) % height;
        same_box(file, whole, {top, left, 1, std::min<std::size_t>(width - left, 2)});
        same_box(file, whole, {top, left, height - top, 1});
        same_box(file, whole, {top, 0, height - top, left + 1});
      }
      for (std::uint64_t i = 0; i != 100; ++i) {
        pl::rng random(3, i);
        const std::size_t top = random.below(height), left = random.below(width);
        same_box(file, whole, {top, left, 1 + random.below(height - top), 1 + random.below(width - left)});
      }
    }
}

TEST_CASE("a box of a JPEG can be read as grey and with alpha too") {
  for (const auto& kind : jpeg_kinds) {
    CAPTURE(kind.name);
    const auto file = jpeg_of(formula_picture(50, 61, kind.grey ? 1 : 3), kind);
    for (const std::size_t channels : {1u, 4u}) {
      const auto whole = pl::decode({.channels = channels})(file);
      for (std::uint64_t i = 0; i != 40; ++i) {
        pl::rng random(4, i);
        same_box(file, whole, pl::detail::random_box(50, 61, {}, random));
      }
    }
  }
}

TEST_CASE("reduced by the transform to a half, quarter or eighth, a box is nearly the same picture") {
  for (const auto& kind : jpeg_kinds) {
    CAPTURE(kind.name);
    auto smooth = pl::image::uninitialized(403, 511, kind.grey ? 1 : 3);
    for (std::size_t y = 0; y != 403; ++y)
      for (std::size_t x = 0; x != 511; ++x)
        for (std::size_t c = 0; c != smooth.channels(); ++c)
          smooth(y, x, c) =
              static_cast<std::uint8_t>(127 + 60 * std::sin(double(x + 40 * c) / 30) + 60 * std::cos(double(y) / 25));
    const auto file = jpeg_of(smooth, kind);
    const auto crop = pl::random_resized_crop<24, 20>();
    const auto both = pl::decode_random_resized_crop<24, 20>({}, {}, pl::reduction::by_dct);
    double sum = 0;
    for (std::uint64_t i = 0; i != 50; ++i) {
      pl::rng a(9, i), b(9, i);
      const auto exact = crop(pl::decode()(file), a), near = both(file, b);
      for (std::size_t k = 0; k != exact.size(); ++k) sum += std::abs(exact.data()[k] - near.data()[k]);
      CHECK(a() == b());
    }
    CHECK(sum / (50 * 24 * 20 * 3) < 4);  // of 255: the box moves by up to half a pixel
  }
  using pl::detail::reduced;
  CHECK(reduced(pl::reduction::none, {0, 0, 999, 999}, 10, 10) == 1);
  CHECK(reduced(pl::reduction::by_dct, {0, 0, 999, 999}, 10, 10) == 8);
  CHECK(reduced(pl::reduction::by_dct, {0, 0, 80, 79}, 10, 10) == 4);
  CHECK(reduced(pl::reduction::by_dct, {0, 0, 19, 20}, 10, 10) == 1);
}

TEST_CASE("a damaged JPEG of any kind gives the same pixels or the same error") {
  for (const auto& kind : jpeg_kinds) {
    CAPTURE(kind.name);
    const auto file = jpeg_of(formula_picture(70, 90, kind.grey ? 1 : 3), kind);
    std::size_t in_part = 0;
    for (std::uint64_t i = 0; i != 150; ++i) {
      pl::rng random(12, i);
      auto damaged = pl::byte_tensor::of(file.span().first(file.size() - (i % 3 == 0 ? random.below(file.size()) : 0)));
      for (std::uint64_t k = random.below(4); k > 0; --k)
        damaged.data()[random.below(damaged.size())] = static_cast<std::uint8_t>(random());
      // A damaged JPEG with several scans does not always decode to the same pixels, even with decode() alone
      // (libjpeg-turbo 2.1.5, depending on the contents of memory). Of these, only those read in part are compared.
      pl::detail::jpeg_box_reader reader(damaged.span(), 3);
      const bool part = reader.sound() && reader.read({0, 0, reader.height(), reader.width()}).has_value();
      in_part += part;
      for (std::uint64_t seed = 0; seed != 3; ++seed)
        same_crop({kind.name, damaged}, seed, {.allow_truncated = i % 4 == 0, .max_pixels = 1 << 20},
                  part || !(kind.progressive || kind.apart));
    }
    CHECK(in_part > 20);
  }
}
#else
TEST_CASE("without both interfaces of libjpeg-turbo, the whole picture is decoded", "[host]") {
  plumbline_test::skip("built without plumbline::turbojpeg and plumbline::jpeg");
}
#endif

TEST_CASE("decode_random_resized_crop: the pixels and the draws of decode and random_resized_crop", "[data]") {
  std::size_t n = 0;
  const auto all = [&](const std::vector<contents>& files, std::uint64_t crops) {
    for (const auto& file : files)
      for (std::uint64_t seed = 0; seed != crops; ++seed, ++n) same_crop(file, seed);
  };
  all(own_pictures(), 3);
  all(pictures_in(data_folder() + "/photos_clothing", 20), 3);
  all(pictures_in(data_folder() + "/photos_pixabay_classes", 5), 2);
  all(pictures_in(data_folder() + "/jpeg_variants"), 4);
  all(pictures_in(data_folder() + "/damaged_images"), 2);
  all(pictures_in(data_folder() + "/pngsuite", 9), 1);
  std::cout << "decode_random_resized_crop: " << n << " crops compared\n";
}

TEST_CASE("decode_random_resized_crop: orientation, channels and truncation, as with decode", "[data]") {
  for (const auto& file : pictures_in(data_folder() + "/jpeg_variants/exif_orientation"))
    for (std::uint64_t seed = 0; seed != 3; ++seed) same_crop(file, seed, {.apply_exif_orientation = true});
  for (const auto& file : pictures_in(data_folder() + "/jpeg_variants/pillow"))
    for (std::uint64_t seed = 0; seed != 3; ++seed) {
      same_crop<1>(file, seed, {.apply_exif_orientation = true});
      same_crop<4>(file, seed);
      same_crop(file, seed, {.allow_truncated = true, .max_pixels = 1 << 14});
    }
}

TEST_CASE("decode_random_resized_crop: other formats, sizes known at run time, pairs") {
  const auto png = pl::encode_png(formula_picture(30, 40));
  same_crop({"a PNG", png}, 1);
  same_crop({"nothing", {}}, 1);
  same_crop({"three bytes", pl::byte_tensor::of({0xff, 0xd8, 0xff})}, 1);
  pl::rng a(5), b(5), c(5);
  const auto crop = pl::decode_random_resized_crop<16, 24>({.min_scale = 0.5})(png, a);
  CHECK(pl::decode_random_resized_crop(16, 24, {.min_scale = 0.5})(png, b) == pl::tensor<std::uint8_t>(crop));
  CHECK(pl::on_first(pl::decode_random_resized_crop<16, 24>({.min_scale = 0.5}))(std::pair(png, 7), c) ==
        std::pair(crop, 7));
  CHECK(pl::decode_random_resized_crop(8, 8, {}, {.channels = 1})(png, a).shape() == pl::shape{8, 8, 1});
}

TEST_CASE("decode_center_crop: the pixels of decode and center_crop", "[data]") {
  const auto same = [](const contents& file) {
    CAPTURE(file.path);
    const auto compare = [](const auto& one, const auto& two) {
      CHECK(one.second == two.second);
      CHECK(one.first == two.first);
    };
    compare(outcome([&] { return pl::decode_center_crop<64, 101>()(file); }),
            outcome([&] { return pl::center_crop<64, 101>()(pl::decode()(file)); }));
    compare(outcome([&] {
              return pl::decode_center_crop(600, 301, {.channels = 1, .apply_exif_orientation = true})(file);
            }),
            outcome([&] {
              return pl::center_crop(600, 301)(pl::decode({.channels = 1, .apply_exif_orientation = true})(file));
            }));
  };
  for (const auto& file : own_pictures()) same(file);
  for (const auto& file : pictures_in(data_folder() + "/jpeg_variants")) same(file);
  for (const auto& file : pictures_in(data_folder() + "/damaged_images")) same(file);
  same({"a PNG", pl::encode_png(formula_picture(30, 400))});
}

TEST_CASE("a box is oriented like its picture") {
  const auto in = formula_picture(7, 11, 1);
  const pl::detail::box b{2, 3, 4, 1};
  for (int turn = 0; turn != 10; ++turn) {
    const auto out = pl::detail::oriented(in, turn);
    const auto there = pl::detail::oriented(b, turn, 7, 11);
    CHECK(there.height * there.width == 4);
    CHECK(pl::detail::oriented(there, pl::detail::undone(turn), out.height(), out.width()) == b);
    int from = 0, to = 0;
    for (std::size_t y = 0; y != b.height; ++y) from += in(b.top + y, b.left, 0);
    for (std::size_t y = 0; y != there.height; ++y)
      for (std::size_t x = 0; x != there.width; ++x) to += out(there.top + y, there.left + x, 0);
    CHECK(from == to);
  }
}

TEST_CASE("the end of the picture after a scan's data is detected") {
  const auto ends = [](const std::vector<std::uint8_t>& x) { return pl::detail::ends_after_scan(x); };
  CHECK(ends({0xff, 0xd9}));
  CHECK(ends({1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0xff, 0xff, 0xd9, 7}));
  CHECK_FALSE(ends({}));
  CHECK_FALSE(ends({0xff}));
  CHECK_FALSE(ends({1, 2, 3, 0xff}));
  CHECK_FALSE(ends({1, 0xff, 0}));
  CHECK_FALSE(ends({1, 0xff, 0xc4, 0xff, 0xd9}));
}
