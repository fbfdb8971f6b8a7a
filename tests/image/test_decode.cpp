// Decoding agrees with other decoders and never crashes. Real files are read if they are present.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>

#include <plumbline/core/rng.hpp>
#include <plumbline/image/decode.hpp>
#include <plumbline/image/write_png.hpp>

#include <support/skip.hpp>
#include <support/watchdog.hpp>

#include "pictures.hpp"

namespace pl = plumbline;

namespace {

bool present(const std::string& path) {
  if (std::ifstream(path).good()) return true;
  plumbline_test::skip("no " + path + "; set PLUMBLINE_DATA to the folder of real inputs");
  return false;
}

/// The rows of a CSV file without quoted commas in the columns we use, by column name.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (names.empty())
      names = cells;
    else {
      rows.emplace_back();
      for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) rows.back()[names[i]] = cells[i];
    }
  }
  return rows;
}

/// "JPEG RGB 640x426" -> {426, 640}; {0, 0} where Pillow reported an error.
std::pair<std::size_t, std::size_t> pillow_size(const std::string& verdict) {
  const auto x = verdict.rfind('x'), space = verdict.rfind(' ');
  if (verdict.find("Error") != std::string::npos || x == std::string::npos || space == std::string::npos || x < space)
    return {0, 0};
  return {std::stoul(verdict.substr(x + 1)), std::stoul(verdict.substr(space + 1, x - space - 1))};
}

/// Decodes the file, or returns the message of its decode_error; no other exception is acceptable.
std::optional<std::string> try_decode(const pl::byte_tensor& file, pl::image& out,
                                      const pl::decode_options& options = {}) {
  try {
    out = pl::decode(options)(file);
    return std::nullopt;
  } catch (const pl::decode_error& e) {
    CHECK(std::strlen(e.what()) > 20);
    return e.what();
  }
}

pl::byte_tensor cut(const pl::byte_tensor& file, std::size_t n) { return pl::byte_tensor::of(file.span().first(n)); }

}  // namespace

TEST_CASE("PNG is written and read back") {
  for (std::size_t c : {1u, 3u, 4u}) {
    const auto in = formula_picture(13, 17, c);
    CHECK(pl::decode({.channels = c})(pl::encode_png(in)) == in);
  }
}

TEST_CASE("data that is not a picture is an error that says so") {
  CHECK_THROWS_WITH(pl::decode()(pl::byte_tensor()), Catch::Contains("empty"));
  CHECK_THROWS_AS(pl::decode()(pl::byte_tensor::of({1, 2, 3})), pl::decode_error);
  const std::string text = "this is not a picture, whatever its name says";
  CHECK_THROWS_AS(pl::decode()(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())),
                  pl::decode_error);
  const auto png = pl::encode_png(formula_picture(10, 20));
  CHECK_THROWS_WITH(pl::decode({.max_pixels = 199})(png), Catch::Contains("20 x 10") && Catch::Contains("max_pixels"));
  CHECK_NOTHROW(pl::decode({.max_pixels = 200})(png));
}

TEST_CASE("a picture that is too large for a PNG is refused, before its pixels are read") {
  const std::uint8_t none = 0;
  // bytes that are counted in an int would be 65,536
  CHECK_THROWS_WITH(pl::detail::png_of({&none, 65536, 65536, 1}),
                    Catch::Contains("65536 x 65536 x 1 bytes is too large"));
  CHECK_THROWS_AS(pl::detail::png_of({&none, std::size_t{1} << 40, 1, 1}), pl::shape_mismatch);
  CHECK_THROWS_AS(pl::detail::png_of({&none, 1, std::size_t{1} << 40, 1}), pl::shape_mismatch);
}

TEST_CASE("a PNG with any bit changed is an error or the whole picture") {
  const auto in = formula_picture(13, 17);
  const auto png = pl::encode_png(in);
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit != 8 * png.size(); ++bit) {
    auto changed = cut(png, png.size());
    changed.data()[bit / 8] = static_cast<std::uint8_t>(changed.data()[bit / 8] ^ 1U << bit % 8);
    pl::image out;
    if (try_decode(changed, out)) continue;
    ++accepted;
    CAPTURE(bit / 8, bit % 8);
    CHECK(out == in);
  }
  CHECK(accepted <= 8 * 12);  // in the end chunk
  auto changed = cut(png, png.size());
  changed.data()[png.size() / 2] ^= 1;
  CHECK_THROWS_WITH(pl::decode()(changed), Catch::Contains("the PNG is damaged: its IDAT chunk at byte 33 "));
}

TEST_CASE("a PNG truncated anywhere is an error or the whole picture") {
  const auto in = formula_picture(13, 17);
  const auto png = pl::encode_png(in);
  for (std::size_t n = 0; n < png.size(); ++n) {
    pl::image out;
    if (!try_decode(cut(png, n), out)) CHECK(out == in);
  }
}

namespace {

/// Minimal pictures in formats that the library cannot write.
pl::byte_tensor small_bmp() {
  auto f = pl::byte_tensor({54 + 4 * 12}, std::uint8_t{100});
  std::fill_n(f.data(), 54, std::uint8_t{0});
  f.data()[0] = 'B', f.data()[1] = 'M', f.data()[2] = 102, f.data()[10] = 54, f.data()[14] = 40;
  f.data()[18] = 4, f.data()[22] = 4, f.data()[26] = 1, f.data()[28] = 24, f.data()[34] = 48;
  return f;
}
pl::byte_tensor small_gif() {
  return pl::byte_tensor::of({'G', 'I', 'F', '8', '9',  'a',  1, 0, 1, 0,    0x80, 0, 0,    255, 255,
                              255, 0,   0,   0,   0x21, 0xf9, 4, 0, 0, 0,    0,    0, 0x2c, 0,   0,
                              0,   0,   1,   0,   1,    0,    0, 2, 2, 0x44, 1,    0, 0x3b});
}
pl::byte_tensor small_pnm() {
  return pl::byte_tensor::of({'P', '6', ' ', '2', ' ', '1', ' ', '2', '5', '5', '\n', 1, 2, 3, 4, 5, 6});
}

}  // namespace

TEST_CASE("BMP, GIF and PNM are read") {
  CHECK(pl::decode()(small_bmp()) == pl::image(pl::tensor<std::uint8_t>({4, 4, 3}, 100)));
  CHECK(pl::decode()(small_gif()).pixels.shape() == pl::shape{1, 1, 3});
  CHECK(pl::decode()(small_pnm()) == pl::image(pl::byte_tensor::of({1, 2, 3, 4, 5, 6}).reshape({1, 2, 3})));
}

TEST_CASE("BMP, GIF and PNM that are truncated anywhere are errors") {
  std::string large = "P6 # a comment with 12 numbers\n150 151\n255\n";
  const auto head = large.size();
  for (std::size_t i = 0; i != 150U * 151 * 3; ++i) large += static_cast<char>(i % 251);
  const auto pnm = pl::byte_tensor::of(std::span(reinterpret_cast<const std::uint8_t*>(large.data()), large.size()));
  CHECK(pl::decode()(pnm).pixels.shape() == pl::shape{151, 150, 3});
  for (const std::string header :
       {"P5#a\n2 1 255\n", "P5 2#7\n1 255\n", "P5 2 1# 3\r255\n", "P5\n# 1\n# 2\n2 1\n255 "}) {
    const auto small = header + "ab";
    CHECK(pl::decode({.channels = 1})(std::span(reinterpret_cast<const std::uint8_t*>(small.data()), small.size()))
              .pixels == pl::byte_tensor::of({'a', 'b'}).reshape({1, 2, 1}));
  }
  CHECK_THROWS_WITH(pl::decode()(cut(pnm, head)), Catch::Contains("the PNM is truncated: it has 43 bytes"));
  CHECK_THROWS_AS(pl::decode()(cut(pnm, pnm.size() - 1)), pl::decode_error);
  for (const auto& file : {small_bmp(), small_gif(), small_pnm()})
    for (std::size_t n = 0; n != file.size(); ++n) {
      pl::image out;
      if (n + 1 == file.size() && file.data()[0] == 'G') continue;  // the byte after the first picture
      CHECK(try_decode(cut(file, n), out));
    }
}

namespace {
/// What the decoder finds in memory that it has not written.
[[gnu::noinline]] void fill_stack() {
  volatile char some[1 << 16];
  for (auto& c : some) c = 0x5a;
}
/// A PNG of 2 x 1 pixels with 4 bits each, colours 1 and `second` of a palette of two, red and green.
pl::byte_tensor small_palette_png(std::uint8_t second) {
  std::string file = "\x89PNG\r\n\x1a\n";
  const auto big = [](std::size_t n) {
    std::string s;
    for (int shift = 24; shift >= 0; shift -= 8) s += static_cast<char>(n >> shift);
    return s;
  };
  const auto chunk = [&](const std::string& name, const std::string& data) {
    const auto all = name + data;
    std::uint32_t crc = ~0U;
    for (const char c : all) {
      crc ^= static_cast<std::uint8_t>(c);
      for (int bit = 0; bit != 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    file += big(data.size()) + all + big(~crc);
  };
  chunk("IHDR", big(2) + big(1) + std::string("\x04\x03\0\0\0", 5));
  chunk("PLTE", std::string("\xff\0\0\0\xff\0", 6));
  chunk("IDAT", std::string("\x78\x01\x01\x02\0\xfd\xff\0", 8) + static_cast<char>(0x10 + second) + big(0x1000001));
  chunk("IEND", "");
  return pl::byte_tensor::of(std::span(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
}
/// A BMP of 4 x 4 pixels with 8 bits each and a palette of two colours; its last pixel has this colour.
pl::byte_tensor small_palette_bmp(std::uint8_t last, std::uint8_t header = 40) {
  const std::size_t colours = header == 12 ? 3 * 256 : 4 * 2, pixels = 14 + header + colours;
  auto f = pl::byte_tensor({pixels + 16}, std::uint8_t{0});
  auto* b = f.data();
  b[0] = 'B', b[1] = 'M', b[14] = header;
  b[10] = static_cast<std::uint8_t>(pixels), b[11] = static_cast<std::uint8_t>(pixels >> 8);
  if (header == 12)
    b[18] = 4, b[20] = 4, b[22] = 1, b[24] = 8;
  else
    b[18] = 4, b[22] = 4, b[26] = 1, b[28] = 8;
  b[14 + header + (header == 12 ? 3 : 4)] = 200;  // blue of colour 1
  for (std::size_t i = pixels; i != f.size(); ++i) b[i] = 1;
  b[f.size() - 1] = last;
  return f;
}
}  // namespace

TEST_CASE("colours beyond a palette are not what memory held") {
  CHECK(pl::decode()(small_palette_png(0)).pixels == pl::byte_tensor::of({0, 255, 0, 255, 0, 0}).reshape({1, 2, 3}));
  for (std::uint8_t colour = 2; colour != 16; ++colour) {
    fill_stack();
    CHECK(pl::decode()(small_palette_png(colour)).pixels ==
          pl::byte_tensor::of({0, 255, 0, 0, 0, 0}).reshape({1, 2, 3}));
  }
  CHECK(pl::decode()(small_palette_bmp(1))(3, 3, 2) == 200);
  fill_stack();
  CHECK_THROWS_WITH(pl::decode()(small_palette_bmp(2)),
                    Catch::Contains("the BMP uses colour 2, and of its palette only 2"));
  CHECK(pl::decode()(small_palette_bmp(1, 12))(3, 3, 2) == 200);
  CHECK_THROWS_WITH(pl::decode()(small_palette_bmp(255, 12)), Catch::Contains("only 252 can be read"));
}

TEST_CASE("a PNM of 16 bits is refused") {
  std::string file = "P5 40 30 65535\n";
  for (int i = 0; i != 40 * 30; ++i) file += {static_cast<char>(i), '\0'};
  const auto bytes = pl::byte_tensor::of(std::span(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  for (const std::size_t channels : {1U, 3U, 4U})
    CHECK_THROWS_WITH(pl::decode({.channels = channels})(bytes), Catch::Contains("16 bits a sample"));
}

TEST_CASE("channels that no picture has are refused") {
  for (const std::size_t channels : {0U, 2U, 5U}) {
    const auto message = Catch::StartsWith("plumbline: decode: channels is " + std::to_string(channels) + "; give 1");
    CHECK_THROWS_WITH(pl::decode({.channels = channels}), message);
    CHECK_THROWS_WITH(pl::decode_center_crop(8, 8, {.channels = channels}), message);
    CHECK_THROWS_WITH(pl::decode_random_resized_crop(8, 8, {}, {.channels = channels}), message);
  }
}

TEST_CASE("random damage never crashes, and leaves no memory", "[data]") {
  std::vector<pl::byte_tensor> files{pl::encode_png(formula_picture(30, 40)), small_bmp(), small_gif(), small_pnm()};
  for (const char* name : {"/pillow/hopper.jpg", "/libjpeg_turbo/testimgari.jpg", "/pillow/hopper_gray.jpg",
                           "/torchvision_logos/cmyk_pytorch.jpg", "/torchvision_logos/palette_pytorch.png"}) {
    const std::string path = data_folder() + "/jpeg_variants" + name;
    if (present(path)) files.push_back(file_bytes(path));
  }
  const auto allocated = [] {
    const auto now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  std::size_t before = 0;
  for (std::size_t n = 0; n != 2 * files.size(); ++n) {
    const auto& file = files[n % files.size()];
    if (n == files.size()) before = allocated();  // with what the pool keeps for all of them
    const char* rounds = std::getenv("PLUMBLINE_FUZZ_ROUNDS");
    for (std::uint64_t i = 0; i < (rounds == nullptr ? 300 : std::stoull(rounds)); ++i) {
      pl::rng random(11, i);
      auto damaged = cut(file, file.size() - (i % 3 == 0 ? random.below(file.size()) : 0));
      for (std::uint64_t k = random.below(20); k > 0 && !damaged.empty(); --k) {
        damaged.data()[random.below(damaged.size())] = static_cast<std::uint8_t>(random());
      }
      pl::image out;
      try_decode(damaged, out,
                 {.apply_exif_orientation = i % 2 == 0, .allow_truncated = i % 4 == 0, .max_pixels = 1 << 20});
    }
  }
  if (!plumbline_test::sanitized) CHECK(allocated() < before + 1'000'000);  // their allocators do not count so
}

TEST_CASE("decoded pixels match the reference decoder within a few grey levels", "[data]") {
  const std::string folder = data_folder() + "/decode_reference/";
  if (!present(folder + "swan-3584559_640.jpg")) return;
  const auto jpeg = file_bytes(folder + "swan-3584559_640.jpg");
  const auto compare = [&](const pl::image& got, const std::string& npy) {
    const auto file = file_bytes(folder + npy);
    const std::size_t header = 10 + std::size_t{file.data()[8]} + 256 * std::size_t{file.data()[9]};
    REQUIRE(file.size() - header == got.pixels.size());
    int worst = 0;
    double sum = 0;
    for (std::size_t i = 0; i < got.pixels.size(); ++i) {
      const int d = std::abs(got.data()[i] - file.data()[header + i]);
      worst = std::max(worst, d);
      sum += d;
    }
    INFO(npy << ": worst " << worst << ", mean " << sum / double(got.pixels.size()));
    CHECK(sum / double(got.pixels.size()) < 0.6);
    CHECK(worst <= 24);  // smooth chroma differs between decoders at sharp edges
  };
  compare(pl::decode()(jpeg), "swan-3584559_640.npy");
  compare(pl::decode({.channels = 1})(jpeg), "swan-3584559_640_gray.npy");
}

TEST_CASE("JPEG variants decode to their size", "[data]") {
  const std::string folder = data_folder() + "/jpeg_variants/";
  if (!present(folder + "manifest.csv")) return;
  for (const auto& row : read_csv(folder + "manifest.csv")) {
    const std::string name = row.at("file");
    CAPTURE(name);
    pl::image out;
    const auto error = try_decode(file_bytes(folder + name), out);
    const auto [h, w] = pillow_size(row.at("pillow"));
    const bool arithmetic = row.at("sof") == "9" || row.at("sof") == "10";
#ifndef PLUMBLINE_HAS_TURBOJPEG
    if (arithmetic) {
      CHECK(error);
      continue;
    }
#endif
    static_cast<void>(arithmetic);
    if (h != 0) {
      INFO(error.value_or(""));
      REQUIRE_FALSE(error);
      CHECK(out.pixels.shape() == pl::shape{h, w, 3});
    } else if (!error) {  // more tolerant than Pillow is fine where the size is right
      CHECK(std::to_string(out.width()) == row.at("width"));
    }
  }
}

TEST_CASE("orientation is applied if requested, and then all orientations give the same picture", "[data]") {
  const std::string folder = data_folder() + "/jpeg_variants/exif_orientation/padlock-406986_640_";
  if (!present(folder + "no_exif.jpg")) return;
  const int expected[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const char* names[] = {
      "horizontal", "mirror_horizontal",           "rotate_180", "mirror_vertical", "mirror_horizontal_rotate_270",
      "rotate_90",  "mirror_horizontal_rotate_90", "rotate_270"};
  const auto plain = pl::decode()(file_bytes(folder + "no_exif.jpg"));
  for (int i = 0; i < 8; ++i) {
    CAPTURE(names[i]);
    const auto file = file_bytes(folder + names[i] + ".jpg");
    CHECK(pl::detail::exif_orientation(file.span()) == expected[i]);
    CHECK(pl::decode()(file).height() == 426);
    const auto turned = pl::decode({.apply_exif_orientation = true})(file);
    CHECK(turned.height() == (expected[i] < 5 ? 426u : 640u));
    CHECK(turned == pl::detail::oriented(plain, expected[i]));
  }
}

TEST_CASE("oriented() applies the eight symmetries") {
  const auto in = formula_picture(2, 3, 1);
  const auto at = [&](const pl::image& x, std::size_t i, std::size_t j) { return x(i, j, 0); };
  using pl::detail::oriented;
  CHECK(oriented(in, 1) == in);
  CHECK(at(oriented(in, 2), 0, 0) == at(in, 0, 2));
  CHECK(at(oriented(in, 3), 0, 0) == at(in, 1, 2));
  CHECK(at(oriented(in, 4), 0, 0) == at(in, 1, 0));
  CHECK(at(oriented(in, 5), 2, 0) == at(in, 0, 2));
  CHECK(at(oriented(in, 6), 0, 0) == at(in, 1, 0));  // clockwise: the lower left corner moves to the upper left
  CHECK(at(oriented(in, 6), 0, 1) == at(in, 0, 0));
  CHECK(at(oriented(in, 7), 0, 0) == at(in, 1, 2));
  CHECK(at(oriented(in, 8), 0, 0) == at(in, 0, 2));  // anticlockwise: the upper right corner
  CHECK(oriented(oriented(in, 6), 8) == in);
  CHECK(oriented(oriented(in, 5), 5) == in);
  CHECK(oriented(oriented(in, 7), 7) == in);
}

TEST_CASE("damaged pictures decode to the right size or are errors", "[data]") {
  const std::string folder = data_folder() + "/damaged_images/";
  if (!present(folder + "manifest.csv")) return;
  std::size_t here = 0;
  for (const auto& row : read_csv(folder + "manifest.csv")) {
    const std::string name = row.at("file");
    if (!std::ifstream(folder + name).good()) continue;
    ++here;
    CAPTURE(name);
    const auto file = file_bytes(folder + name);
    pl::image out;
    const auto error = try_decode(file, out);
    const auto [h, w] = pillow_size(row.at("pillow"));
    if (!error && h != 0) CHECK(out.pixels.shape() == pl::shape{h, w, 3});
    if (row.at("pillow").find("truncated") != std::string::npos && name.ends_with("jpg")) {
      CHECK(error.value_or("accepted").find("truncated") != std::string::npos);
      pl::image partial;
      if (!try_decode(file, partial, {.allow_truncated = true}))
        CHECK(std::to_string(partial.width()) == row.at("width"));
    }
    if (row.at("djpeg_exit") == "0" && h != 0) {
      INFO(error.value_or(""));
#ifdef PLUMBLINE_HAS_TURBOJPEG
      CHECK_FALSE(error);  // stb_image is stricter with odd but readable files
#endif
    }
  }
  std::cout << "damaged_images: " << here << " files of the manifest present\n";
}

TEST_CASE("PngSuite decodes, and its broken files are errors", "[data]") {
  const std::string folder = data_folder() + "/pngsuite/";
  if (!present(folder + "basn0g01.png")) return;
  std::size_t seen = 0;
  for (const char* name :
       {"basi0g01", "basi0g04", "basi0g08", "basi2c08", "basi2c16", "basi3p02", "basi3p04", "basi4a08", "basi4a16",
        "basi6a16", "basn0g01", "basn0g04", "basn0g08", "basn2c08", "basn2c16", "basn3p02", "basn3p04", "basn4a08",
        "basn4a16", "basn6a16", "bgai4a08", "bgan6a08", "bgan6a16", "bggn4a16", "bgwn6a08", "ccwn2c08", "ccwn3p08",
        "cdhn2c08", "cdsn2c08", "ch1n3p04", "ch2n3p08", "cm7n0g04", "cm9n0g04", "cs3n3p08", "cs5n2c08", "cs8n2c08",
        "cs8n3p08", "f00n0g08", "f01n2c08", "f03n0g08", "xc1n0g08", "xc9n2c08", "xcrn0g04", "xcsn0g01", "xd0n2c08",
        "xd3n2c08", "xd9n2c08", "xdtn0g01", "xhdn0g08", "xlfn0g04", "xs1n0g01", "xs2n0g01", "xs4n0g01", "xs7n0g01"}) {
    if (!std::ifstream(folder + name + ".png").good()) continue;
    ++seen;
    CAPTURE(name);
    pl::image out;
    const auto error = try_decode(file_bytes(folder + name + ".png"), out);
    // xc: wrong colour type, xd: wrong depth or no data, xs: wrong signature, xcr/xlf: line ends changed; xcs, xhd:
    // wrong checksums
    if (name[0] == 'x') CHECK(error);
    if (name[0] != 'x') {
      INFO(error.value_or(""));
      REQUIRE_FALSE(error);
      CHECK(out.width() == (name[0] == 'c' && name[1] == 'd' ? (name[2] == 'h' ? 32u : 8u) : 32u));
      CHECK(out.channels() == 3);
    }
  }
  std::cout << "pngsuite: " << seen << " files checked\n";
}
