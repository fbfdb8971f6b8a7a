#pragma once
/// need_complete: refuses BMP, GIF and PNM files that stb_image does not read as they are: it fills what a truncated
/// one lacks with zeros or with old memory, and versions before 2.28 read beyond the pixels of a 16-bit PNM.

#include <cstddef>

#include <plumbline/core/compiled.hpp>
#include <plumbline/image/jpeg_markers.hpp>

namespace plumbline::detail {

/// `width`, `height`: as stb_image found them. Other formats pass. Throws decode_error. O(1), for a GIF O(blocks).
void need_complete(byte_span file, std::size_t height, std::size_t width);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/complete_file_inl.hpp>
#endif
