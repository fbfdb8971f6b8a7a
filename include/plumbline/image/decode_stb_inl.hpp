#pragma once
/// Definitions of image/decode_stb.hpp, with stb_image's code.

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plumbline/data/image.hpp>
#include <plumbline/image/complete_file.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/decode_stb.hpp>
#include <plumbline/image/jpeg_markers.hpp>
#include <plumbline/image/stb_image.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE image decode_stb(byte_span file, const decode_options& options) {
  const auto fail = [] {
    const char* why = stb::stbi_failure_reason();
    return decode_error(why == nullptr ? "damaged picture" : "stb_image says: " + std::string(why));
  };
  if (file.size() > INT_MAX - 1000) throw decode_error("the file is larger than 2 GB");
  auto length = static_cast<int>(file.size());
  int width = 0, height = 0, channels = 0;
  if (stb::stbi_info_from_memory(file.data(), length, &width, &height, &channels) == 0) throw fail();
  need_reasonable_size(static_cast<std::size_t>(height), static_cast<std::size_t>(width), options);
  need_complete(file, static_cast<std::size_t>(height), static_cast<std::size_t>(width));
  const auto padded = with_whole_palette(file);
  if (!padded.empty()) file = padded, length = static_cast<int>(file.size());
  // twice 16-bit RGBA, and room for tables: no genuine picture needs a larger allocation; a decompression bomb does
  const stb::allocation_limit limit((std::size_t{16} * static_cast<std::size_t>(width) + 64) *
                                        static_cast<std::size_t>(height) +
                                    (std::size_t{1} << 20) + 4 * file.size());
  std::unique_ptr<stb::stbi_uc, void (*)(void*)> pixels(
      stb::stbi_load_from_memory(file.data(), length, &width, &height, &channels, static_cast<int>(options.channels)),
      stb::pool_free);
  if (pixels == nullptr) throw fail();
  return image(
      tensor<std::uint8_t>::adopt({static_cast<std::size_t>(height), static_cast<std::size_t>(width), options.channels},
                                  pool_block::adopt(pixels.release())));
}
PLUMBLINE_INLINE image decode_jpeg_stb(byte_span file, const decode_options& options) {
  if (!has_sound_huffman_tables(file)) throw decode_error("the JPEG is damaged: a Huffman table is broken");
  if (!lacks_jpeg_end(file)) return decode_stb(file, options);
  if (!options.allow_truncated) throw decode_error("the JPEG is truncated: its end marker is missing");
  std::vector<std::uint8_t> ended(file.begin(), file.end());  // stb_image requires an end
  ended.insert(ended.end(), {0xff, 0xd9});
  return decode_stb(ended, options);
}

}  // namespace plumbline::detail
