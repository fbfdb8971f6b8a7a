#pragma once
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <plumbline/data/image.hpp>

/// The pictures of scripts/make_image_reference.py.
inline plumbline::image formula_picture(std::size_t h, std::size_t w, std::size_t c = 3) {
  auto out = plumbline::image::uninitialized(h, w, c);
  for (std::size_t y = 0; y < h; ++y) {
    for (std::size_t x = 0; x < w; ++x) {
      for (std::size_t k = 0; k < c; ++k) {
        out(y, x, k) =
            static_cast<std::uint8_t>((y * y * 7 + x * 29 + x * y * 3 + k * 83 + ((x + 2 * y) % 5) * 40) % 256);
      }
    }
  }
  return out;
}

/// The folder of real inputs: PLUMBLINE_DATA if it is set, else ../shared/data next to the repository.
inline std::string data_folder() {
  if (const char* given = std::getenv("PLUMBLINE_DATA")) return given;
  const std::string here = __FILE__;
  return here.substr(0, here.rfind("tests/image/")) + "../shared/data";
}

inline plumbline::byte_tensor file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> all((std::istreambuf_iterator<char>(file)), {});
  auto out = plumbline::byte_tensor::uninitialized({all.size()});
  std::copy(all.begin(), all.end(), out.data());
  return out;
}
