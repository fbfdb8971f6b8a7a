#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <turbojpeg.h>

#include <plumbline/data/image.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/jpeg_markers.hpp>

/// JPEG decoding by libjpeg-turbo. image/decode.hpp uses this where PLUMBLINE_HAS_TURBOJPEG is defined; the macro must
/// be the same in all translation units of a program, so leave it to the CMake target.
namespace plumbline::detail {

/// One decompressor per thread: making one costs several microseconds.
inline tjhandle turbo_handle() {
  static thread_local const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitDecompress(), tjDestroy);
  if (handle == nullptr) throw decode_error("libjpeg-turbo cannot be started");
  return handle.get();
}

/// Decodes a JPEG straight into pooled memory. nothing where the TurboJPEG interface does not support the file (unusual
/// subsampling, lossless, 12 bits) or does not understand its header: another decoder may. Throws decode_error for
/// damage. Slow but exact transform and smooth chroma, the defaults of Pillow and torchvision.
inline std::optional<image> decode_turbo(byte_span file, const decode_options& options) {
  const tjhandle handle = turbo_handle();
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(handle, file.data(), file.size(), &width, &height, &subsampling, &colours) != 0) return std::nullopt;
  const auto h = static_cast<std::size_t>(height), w = static_cast<std::size_t>(width);
  need_reasonable_size(h, w, options);

  const bool inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  const int format = inks ? TJPF_CMYK : options.channels == 1 ? TJPF_GRAY : options.channels == 3 ? TJPF_RGB : TJPF_RGBA;
  auto out = image::uninitialized(h, w, inks ? 4 : options.channels);
  // a progressive file of a few bytes can hold thousands of scans over a large picture; no honest one has 500
  if (tjDecompress2(handle, file.data(), file.size(), out.data(), width, 0, height, format, TJFLAG_LIMITSCANS) != 0) {
    const std::string why = tjGetErrorStr2(handle);
    if (tjGetErrorCode(handle) != TJERR_WARNING) throw decode_error("libjpeg-turbo says: " + why);
    // Of several warnings the library tells only one, so look for the end as well. Other damage is accepted, as by Pillow.
    const bool truncated = why.find("Premature end of JPEG file") != std::string::npos || lacks_jpeg_end(file);
    if (truncated && !options.allow_truncated) throw decode_error("the JPEG is truncated: " + why);
  }
  if (!inks) return out;

  // Four inks, stored inverted as Adobe does: 255 is no ink. No colour profile is applied.
  auto mixed = image::uninitialized(h, w, options.channels);
  const std::uint8_t* from = out.data();
  std::uint8_t* to = mixed.data();
  const auto times = [](unsigned a, unsigned b) { return (a * b + 127) / 255; };
  for (std::size_t i = 0; i < h * w; ++i, from += 4, to += options.channels) {
    const unsigned r = times(from[0], from[3]), g = times(from[1], from[3]), b = times(from[2], from[3]);
    if (options.channels == 1) to[0] = static_cast<std::uint8_t>((77 * r + 150 * g + 29 * b) >> 8);
    else {
      to[0] = static_cast<std::uint8_t>(r);
      to[1] = static_cast<std::uint8_t>(g);
      to[2] = static_cast<std::uint8_t>(b);
      if (options.channels == 4) to[3] = 255;
    }
  }
  return mixed;
}

}  // namespace plumbline::detail
