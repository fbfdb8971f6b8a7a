#pragma once
// stb_image compiled into this header: any number of translation units may include it, and the program may also use its
// own copy of stb_image. For that, the library's functions are static and in a namespace, and its macros are restored.
// (One limit: the translation unit that holds a program's own STB_IMAGE_IMPLEMENTATION must not include this.) Its
// warnings are not ours, hence the pragma. Memory comes from the pool, so that the pixels it returns can become a
// tensor without being copied.
#pragma GCC system_header

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

#include <algorithm>

#include <plumbline/data/pool.hpp>
#include <plumbline/image/decode_error.hpp>

namespace plumbline::detail::stb {

/// Limits the size of a single allocation by the decoder on this thread while this object exists.
class allocation_limit {
 public:
  explicit allocation_limit(std::size_t bytes) noexcept : before_(now()) { now() = bytes; }
  ~allocation_limit() { now() = before_; }
  allocation_limit(const allocation_limit&) = delete;
  allocation_limit& operator=(const allocation_limit&) = delete;
  static std::size_t& now() noexcept {
    static thread_local std::size_t bytes = std::size_t(-1);
    return bytes;
  }

 private:
  std::size_t before_;
};

inline void* pool_malloc(std::size_t n) noexcept {
  if (n > allocation_limit::now()) return nullptr;
  try {
    void* p = memory_pool::instance().allocate(n);
    // Older versions of the library use its state (about 35 kB at most) before setting it, when a damaged JPEG names a
    // table that it never defined. Zeros are harmless there, and cost little compared with a picture.
    if (n <= std::size_t{64} * 1024) memset(p, 0, n);
    return p;
  } catch (...) {
    return nullptr;  // the library reports "outofmem"
  }
}
inline void pool_free(void* p) noexcept { memory_pool::instance().release(p); }
inline void* pool_realloc(void* p, std::size_t old_size, std::size_t new_size) noexcept {
  void* q = pool_malloc(new_size);
  if (q != nullptr && p != nullptr) {
    memcpy(q, p, std::min(old_size, new_size));
    pool_free(p);
  }
  return q;
}

}  // namespace plumbline::detail::stb

#pragma push_macro("STBI_INCLUDE_STB_IMAGE_H")
#pragma push_macro("STB_IMAGE_IMPLEMENTATION")
#pragma push_macro("STB_IMAGE_STATIC")
#pragma push_macro("STBIDEF")
#pragma push_macro("STBI_ASSERT")
#pragma push_macro("STBI_NO_STDIO")
#pragma push_macro("STBI_MALLOC")
#pragma push_macro("STBI_FREE")
#pragma push_macro("STBI_REALLOC_SIZED")
#pragma push_macro("stbi__err")
#pragma push_macro("stbi__errpf")
#pragma push_macro("stbi__errpuc")
#undef STBI_INCLUDE_STB_IMAGE_H
#undef STBIDEF
#undef stbi__err
#undef stbi__errpf
#undef stbi__errpuc
#undef STBI_ASSERT
#undef STBI_MALLOC
#undef STBI_FREE
#undef STBI_REALLOC_SIZED
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_NO_TGA  // no magic number: any bytes would pass for one
#define STBI_NO_PIC
#define STBI_NO_PSD
// An exception would leave what the decoder holds unfreed. The fuzz test counts that; no damaged picture came here yet.
#define STBI_ASSERT(x) \
  ((x) ? (void)0 : throw ::plumbline::decode_error("the picture is damaged in a way the decoder did not expect"))
#define STBI_MALLOC(n) ::plumbline::detail::stb::pool_malloc(n)
#define STBI_FREE(p) ::plumbline::detail::stb::pool_free(p)
#define STBI_REALLOC_SIZED(p, old_size, new_size) ::plumbline::detail::stb::pool_realloc(p, old_size, new_size)

namespace plumbline::detail::stb {
#if __has_include(<stb/stb_image.h>)
#include <stb/stb_image.h>
#else
#include <stb_image.h>
#endif
}  // namespace plumbline::detail::stb

#undef STB_IMAGE_IMPLEMENTATION
#undef STB_IMAGE_STATIC
#undef STBI_NO_STDIO
#undef STBI_NO_HDR
#undef STBI_NO_LINEAR
#undef STBI_NO_TGA
#undef STBI_NO_PIC
#undef STBI_NO_PSD
#pragma pop_macro("stbi__err")
#pragma pop_macro("stbi__errpf")
#pragma pop_macro("stbi__errpuc")
#pragma pop_macro("STBI_REALLOC_SIZED")
#pragma pop_macro("STBI_FREE")
#pragma pop_macro("STBI_MALLOC")
#pragma pop_macro("STBI_NO_STDIO")
#pragma pop_macro("STBI_ASSERT")
#pragma pop_macro("STBIDEF")
#pragma pop_macro("STB_IMAGE_STATIC")
#pragma pop_macro("STB_IMAGE_IMPLEMENTATION")
#pragma pop_macro("STBI_INCLUDE_STB_IMAGE_H")
