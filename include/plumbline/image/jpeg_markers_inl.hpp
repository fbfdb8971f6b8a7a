#pragma once
/// Definitions of image/jpeg_markers.hpp.

#include <plumbline/image/jpeg_markers.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE bool lacks_jpeg_end(byte_span file) noexcept {
  const std::size_t scan = walk_jpeg_segments(file, [](std::uint8_t, byte_span) { return false; });
  for (std::size_t i = file.size(); i >= scan + 2; --i) {
    if (file[i - 2] == 0xff && file[i - 1] == 0xd9) return false;
  }
  return true;
}

PLUMBLINE_INLINE bool ends_after_scan(byte_span data) noexcept {
  while (data.size() >= 2) {
    const void* found = std::memchr(data.data(), 0xff, data.size() - 1);
    if (found == nullptr) return false;
    data = data.subspan(static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - data.data()));
    const std::uint8_t marker = data[1];
    if (marker == 0xd9) return true;
    if (marker != 0 && marker != 0xff && (marker < 0xd0 || marker > 0xd7)) return false;
    data = data.subspan(marker == 0xff ? 1 : 2);
  }
  return false;
}

PLUMBLINE_INLINE bool sound_huffman_segment(byte_span payload) noexcept {
  while (!payload.empty()) {
    if (payload.size() < 17) return false;
    std::size_t codes = 0;
    for (std::size_t i = 1; i <= 16; ++i) codes += payload[i];
    if (codes > 256 || 17 + codes > payload.size()) return false;
    payload = payload.subspan(17 + codes);
  }
  return true;
}

PLUMBLINE_INLINE bool has_sound_huffman_tables(byte_span file) noexcept {
  bool sound = true;
  const std::size_t scan = walk_jpeg_segments(file, [&](std::uint8_t marker, byte_span payload) {
    if (marker == 0xc4) sound = sound && sound_huffman_segment(payload);
    return !sound;
  });
  for (std::size_t i = scan; sound && i + 4 <= file.size(); ++i) {
    if (file[i] == 0xff && file[i + 1] == 0xc4) {
      const std::size_t length = std::size_t{file[i + 2]} << 8 | file[i + 3];
      sound = length >= 2 && i + 2 + length <= file.size() && sound_huffman_segment(file.subspan(i + 4, length - 2));
    }
  }
  return sound;
}

PLUMBLINE_INLINE int tiff_orientation(byte_span tiff) noexcept {
  if (tiff.size() < 8) return 1;
  const bool little = tiff[0] == 'I' && tiff[1] == 'I';
  if (!little && !(tiff[0] == 'M' && tiff[1] == 'M')) return 1;
  const auto u16 = [&](std::size_t i) -> std::size_t {
    if (i + 2 > tiff.size()) return 0;
    return little ? std::size_t{tiff[i]} | std::size_t{tiff[i + 1]} << 8 : std::size_t{tiff[i]} << 8 | tiff[i + 1];
  };
  const auto u32 = [&](std::size_t i) { return little ? u16(i) | u16(i + 2) << 16 : u16(i) << 16 | u16(i + 2); };
  if (u16(2) != 42) return 1;
  const std::size_t directory = u32(4), entries = u16(directory);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (u16(entry) != 0x0112) continue;
    const std::size_t value = u16(entry + 8);
    return u16(entry + 2) == 3 && value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

PLUMBLINE_INLINE int exif_orientation(byte_span file) noexcept {
  int orientation = 1;
  if (!is_jpeg(file)) return orientation;
  walk_jpeg_segments(file, [&](std::uint8_t marker, byte_span payload) {
    if (marker != 0xe1 || payload.size() < 6 || std::memcmp(payload.data(), "Exif\0", 6) != 0) return false;
    orientation = tiff_orientation(payload.subspan(6));
    return true;
  });
  return orientation;
}

}  // namespace plumbline::detail
