#pragma once
#include <plumbline/core/compiled.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/jpeg_markers.hpp>

namespace plumbline::detail {

/// Decodes any format that stb_image knows. Its pixels are adopted, not copied. Throws decode_error.
image decode_stb(byte_span file, const decode_options& options);
/// The same for a JPEG, of which stb_image would decode some damaged files without an error.
image decode_jpeg_stb(byte_span file, const decode_options& options);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/decode_stb_inl.hpp>
#endif
