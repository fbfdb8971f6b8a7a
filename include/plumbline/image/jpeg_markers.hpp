#pragma once
#include <plumbline/core/compiled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// What can be read from a JPEG without decoding it. Nothing here throws or reads outside its span, whatever it is
/// given.
namespace plumbline::detail {

using byte_span = std::span<const std::uint8_t>;

inline bool is_jpeg(byte_span file) noexcept {
  return file.size() >= 3 && file[0] == 0xff && file[1] == 0xd8 && file[2] == 0xff;
}

/// Calls f(marker, payload) for each segment before the first scan, until f returns true. Returns the position where
/// it stopped: at the first scan's data, or where the file is no longer valid.
template <class F> std::size_t walk_jpeg_segments(byte_span file, F f) noexcept {
  std::size_t at = 2;
  while (at + 4 <= file.size()) {
    if (file[at] != 0xff || file[at + 1] == 0xff || file[at + 1] == 0) {  // fill bytes and junk between segments
      ++at;
      continue;
    }
    const std::uint8_t marker = file[at + 1];
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd9)) {  // these have no payload
      at += 2;
      continue;
    }
    const std::size_t length = std::size_t{file[at + 2]} << 8 | file[at + 3];
    if (length < 2 || at + 2 + length > file.size()) return at;
    const bool stop = f(marker, file.subspan(at + 4, length - 2));
    at += 2 + length;
    if (stop || marker == 0xda) return at;
  }
  return at;
}

/// Whether the picture's end marker is missing. Scan data cannot contain it by chance (0xff is escaped there), and a
/// thumbnail's end marker comes before the first scan.
bool lacks_jpeg_end(byte_span file) noexcept;

/// Whether the data of a scan are followed by the picture's end, and by no other marker before it (restarts are part of
/// the data). `data`: from the scan's first byte on. O(bytes), at the speed of memchr.
bool ends_after_scan(byte_span data) noexcept;

/// Whether a DHT segment consists of whole Huffman tables of at most 256 codes each, as the format requires.
bool sound_huffman_segment(byte_span payload) noexcept;

/// Whether all Huffman tables are sound, including those between or after scans. Older versions of stb_image write
/// beyond their tables if one is not.
bool has_sound_huffman_tables(byte_span file) noexcept;

/// The orientation in an Exif (TIFF) block, 1 to 8; 1 where there is none. CIPA DC-008 (Exif 2.32), tag 0x0112.
int tiff_orientation(byte_span tiff) noexcept;

/// The orientation that a JPEG's Exif block states, 1 to 8; 1 (as stored) where there is none or it is damaged.
int exif_orientation(byte_span file) noexcept;

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/jpeg_markers_inl.hpp>
#endif
