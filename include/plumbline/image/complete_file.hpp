#pragma once
/// need_complete: refuses BMP, GIF, PNM and PNG files that stb_image does not read as they are: it fills what a
/// truncated one lacks with zeros or with old memory, does not verify the checksums of PNG, and versions before 2.28
/// read beyond the pixels of a 16-bit PNM.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plumbline/core/compiled.hpp>
#include <plumbline/image/jpeg_markers.hpp>

namespace plumbline::detail {

/// `width`, `height`: as stb_image found them. Other formats pass. Throws decode_error. O(1), for a GIF O(blocks),
/// for a PNG O(bytes), for a BMP of fewer colours than its bits could name O(pixels).
void need_complete(byte_span file, std::size_t height, std::size_t width);

/// The file of a PNG with a palette of fewer than 256 colours, with black for the others: stb_image gives a colour
/// beyond the palette what its memory held. Empty for any other file.
std::vector<std::uint8_t> with_whole_palette(byte_span file);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/complete_file_inl.hpp>
#endif
