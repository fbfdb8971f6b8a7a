#pragma once
#include <turbojpeg.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <plumbline/data/image.hpp>
#include <plumbline/image/decode_options.hpp>
#include <plumbline/image/jpeg_markers.hpp>

/// JPEG decoding by libjpeg-turbo. image/decode.hpp uses this where PLUMBLINE_HAS_TURBOJPEG is defined; the macro must
/// be the same in all translation units of a program, so leave it to the CMake target.
namespace plumbline::detail {

/// One decompressor per thread: making one costs several microseconds. After a fatal error it is replaced, because
/// libjpeg-turbo 2.1 can carry state from a file it rejected into the next.
class turbo_decompressor {
 public:
  static turbo_decompressor& mine() {
    static thread_local turbo_decompressor d;
    if (d.handle_ == nullptr) d.handle_.reset(tjInitDecompress());
    if (d.handle_ == nullptr) throw decode_error("libjpeg-turbo cannot be started");
    return d;
  }
  tjhandle get() const noexcept { return handle_.get(); }
  void discard() noexcept { handle_.reset(); }

 private:
  struct destroy {
    void operator()(tjhandle h) const noexcept { tjDestroy(h); }
  };
  std::unique_ptr<void, destroy> handle_;
};

/// Decodes a JPEG straight into pooled memory. Returns nothing if libjpeg-turbo does not understand the header
/// (lossless, 12 bits, damage): another decoder may. Throws decode_error for other damage. Uses the slow but exact
/// transform and smooth chroma, the defaults of Pillow and torchvision.
inline std::optional<image> decode_turbo(byte_span file, const decode_options& options) {
  auto& decompressor = turbo_decompressor::mine();
  const tjhandle handle = decompressor.get();
  int width = 0, height = 0, subsampling = 0, colours = 0;
  // This also fails for unusual subsampling, which decoding supports: all that matters is that it found a size.
  tjDecompressHeader3(handle, file.data(), file.size(), &width, &height, &subsampling, &colours);
  if (width <= 0 || height <= 0) {
    decompressor.discard();
    return std::nullopt;
  }
  const auto h = static_cast<std::size_t>(height), w = static_cast<std::size_t>(width);
  need_reasonable_size(h, w, options);

  const bool inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  const int format = inks                    ? TJPF_CMYK
                     : options.channels == 1 ? TJPF_GRAY
                     : options.channels == 3 ? TJPF_RGB
                                             : TJPF_RGBA;
  auto out = image::uninitialized(h, w, inks ? 4 : options.channels);
  // a progressive file of a few bytes can hold thousands of scans over a large picture; no genuine one has 500
  if (tjDecompress2(handle, file.data(), file.size(), out.data(), width, 0, height, format, TJFLAG_LIMITSCANS) != 0) {
    const std::string why = tjGetErrorStr2(handle);
    if (tjGetErrorCode(handle) != TJERR_WARNING) {
      decompressor.discard();
      throw decode_error("libjpeg-turbo says: " + why);
    }
    // Of several warnings the library reports only one, so look for the end as well. Other damage is accepted, as by
    // Pillow.
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
    if (options.channels == 1)
      to[0] = static_cast<std::uint8_t>((77 * r + 150 * g + 29 * b) >> 8);
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
