#pragma once
#include <plumbline/data/image.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/jpeg_markers.hpp>

namespace plumbline::detail {

/// Any format that stb_image knows. The pixels are taken over, not copied. Throws decode_error.
image decode_stb(byte_span file, const decode_options& options);

}  // namespace plumbline::detail

// The targets plumbline::compiled and plumbline::codecs compile it once for a program and say so; header-only, each
// translation unit does.
#if !defined(PLUMBLINE_CODECS_APART) && !defined(PLUMBLINE_COMPILED)
#include <plumbline/image/decode_stb_here.hpp>
#endif
