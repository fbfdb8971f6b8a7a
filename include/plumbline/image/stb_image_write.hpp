#pragma once
// stb_image_write compiled into this header, in the same way as image/stb_image.hpp.
#pragma GCC system_header

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma push_macro("INCLUDE_STB_IMAGE_WRITE_H")
#pragma push_macro("STB_IMAGE_WRITE_IMPLEMENTATION")
#pragma push_macro("STB_IMAGE_WRITE_STATIC")
#pragma push_macro("STBIWDEF")
#pragma push_macro("STBI_WRITE_NO_STDIO")
#undef INCLUDE_STB_IMAGE_WRITE_H
#undef STBIWDEF
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
namespace plumbline::detail::stb {
#if __has_include(<stb/stb_image_write.h>)
#include <stb/stb_image_write.h>
#else
#include <stb_image_write.h>
#endif
}  // namespace plumbline::detail::stb
#undef STB_IMAGE_WRITE_IMPLEMENTATION
#undef STB_IMAGE_WRITE_STATIC
#undef STBI_WRITE_NO_STDIO
#pragma pop_macro("STBI_WRITE_NO_STDIO")
#pragma pop_macro("STBIWDEF")
#pragma pop_macro("STB_IMAGE_WRITE_STATIC")
#pragma pop_macro("STB_IMAGE_WRITE_IMPLEMENTATION")
#pragma pop_macro("INCLUDE_STB_IMAGE_WRITE_H")
