#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs it before

#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <plumbline/data/image.hpp>
#include <plumbline/image/jpeg_markers.hpp>
#include <plumbline/image/picture.hpp>

/// Decodes a box of a JPEG's pixels with libjpeg-turbo, through its libjpeg interface (jpeg_crop_scanline,
/// jpeg_skip_scanlines: since 1.5; TurboJPEG has an interface for this only since 3.0). image/decode_part.hpp uses this
/// where PLUMBLINE_HAS_JPEG and PLUMBLINE_HAS_TURBOJPEG are both defined; leave both to the CMake targets.
namespace plumbline::detail {

/// Reads an undamaged JPEG, grey or with three colours, and gives up on any other: at the first warning or fatal error,
/// or if anything but its end follows its only scan. The caller then decodes the whole picture with decode(), which is
/// the one place that handles damage.
class jpeg_box_reader {
 public:
  jpeg_box_reader(byte_span file, std::size_t channels) {
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && LIBJPEG_TURBO_VERSION_NUMBER >= 2000000
    info_.err = jpeg_std_error(&trouble_.base);
    trouble_.base.error_exit = [](j_common_ptr info) { give_up(info); };
    trouble_.base.emit_message = [](j_common_ptr info, int level) {
      if (level < 0) give_up(info);  // a warning; others are traces
    };
    limit_.progress_monitor = [](j_common_ptr info) {  // the same limit as in decode(): TJFLAG_LIMITSCANS
      if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > 500) give_up(info);
    };
    sound_ = (channels == 1 || channels == 3 || channels == 4) && attempt([&] {
               jpeg_create_decompress(&info_);
               info_.progress = &limit_;
               jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
               jpeg_read_header(&info_, TRUE);
               if (info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK) give_up(&info_);
               // what follows the box is not decoded, so it is searched; of several scans all are read
               if (jpeg_has_multiple_scans(&info_) == FALSE &&
                   !ends_after_scan({info_.src->next_input_byte, info_.src->bytes_in_buffer}))
                 give_up(&info_);
               info_.out_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_EXT_RGB : JCS_EXT_RGBA;
             });
#else
    static_cast<void>(file), static_cast<void>(channels);  // the Independent JPEG Group's own library has no crop
#endif
  }
  jpeg_box_reader(const jpeg_box_reader&) = delete;
  ~jpeg_box_reader() { jpeg_destroy_decompress(&info_); }

  bool sound() const noexcept { return sound_; }
  std::size_t height() const noexcept { return info_.image_height; }
  std::size_t width() const noexcept { return info_.image_width; }

  /// Returns the pixels of `wanted`, in rows that are a little longer, and where they are in the result. Call it once.
  /// `denominator`: 1, or 2, 4, 8 for a picture smaller by that factor, made from the low frequencies of each block;
  /// the box is then the nearest possible. (1 is used where colour is stored at a quarter of the width or height.)
  /// The pixels equal those of the whole picture, because what smooth chroma reads beyond the box is decoded as well:
  /// at the left at least one pixel, with the rest of its column of blocks; at the right two; above and below,
  /// jpeg_skip_scanlines takes care of it.
  std::optional<std::pair<image, box>> read(const box& wanted, unsigned denominator = 1) {
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && LIBJPEG_TURBO_VERSION_NUMBER >= 2000000
    if (sound_ && !reducible()) denominator = 1;
    const bool started = sound_ && attempt([&] {
                           info_.scale_num = 1;
                           info_.scale_denom = denominator;
                           jpeg_start_decompress(&info_);
                           if (smooths_blocks()) give_up(&info_);
                         });
    if (!started) return std::nullopt;
    const box b = scaled(wanted, denominator);
    // the width of a column of blocks, for the component with the most of them
    const std::size_t block = static_cast<std::size_t>(info_.max_h_samp_factor) * 8 / denominator;
    const std::size_t across = info_.output_width;
    std::size_t left = b.left == 0 ? 0 : (b.left - 1) / block * block;
    if (across - left < block && left != 0) left -= block;  // the last column may be too narrow for smooth chroma
    const std::size_t right = std::min(across, std::max(b.left + b.width + 2, left + block));
    auto offset = static_cast<JDIMENSION>(left), width = static_cast<JDIMENSION>(right - left);
    auto out = image::uninitialized(b.height, width, static_cast<std::size_t>(info_.out_color_components));
    const std::size_t row_size = width * out.channels();
    const bool read = attempt([&] {
      if (left != 0 || right != across) jpeg_crop_scanline(&info_, &offset, &width);
      if (offset != left || width != right - left) give_up(&info_);
      if (b.top != 0 && jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(b.top)) != b.top) give_up(&info_);
      for (std::size_t y = 0; y != b.height;) {
        std::array<JSAMPROW, 16> rows;
        const std::size_t n = std::min(rows.size(), b.height - y);
        for (std::size_t i = 0; i != n; ++i) rows[i] = out.data() + (y + i) * row_size;
        const JDIMENSION got = jpeg_read_scanlines(&info_, rows.data(), static_cast<JDIMENSION>(n));
        if (got == 0) give_up(&info_);
        y += got;
      }
    });
    if (!read) return std::nullopt;
    return std::pair(std::move(out), box{0, b.left - left, b.height, b.width});
#else
    static_cast<void>(wanted), static_cast<void>(denominator);
    return std::nullopt;
#endif
  }

 private:
  struct trouble {
    jpeg_error_mgr base;  // must be first: libjpeg knows only this
    std::jmp_buf back;
  };
  template <class Info> [[noreturn]] static void give_up(Info* info) {
    std::longjmp(reinterpret_cast<trouble*>(info->err)->back, 1);  // exceptions must not pass through C
  }
  /// Calls f; false if it gave up. Nothing in f may have a destructor.
  template <class F> bool attempt(const F& f) {
    if (setjmp(trouble_.back) != 0) return false;
    f();
    return true;
  }
  /// True if a progressive file lacks precision, so that the decoder estimates it from the surrounding blocks.
  bool smooths_blocks() const {
    for (int c = 0; info_.coef_bits != nullptr && c != info_.num_components; ++c)
      for (int i = 1; i != DCTSIZE2; ++i)
        if (info_.coef_bits[c][i] != 0) return true;
    return false;
  }
  /// False with a sampling factor of 4: libjpeg-turbo 2.1.5's smaller picture then depends on what its memory held.
  bool reducible() const { return info_.max_h_samp_factor <= 2 && info_.max_v_samp_factor <= 2; }
  box scaled(const box& b, unsigned denominator) const {
    const auto along = [&](std::size_t from, std::size_t size, std::size_t most) {
      const std::size_t d = denominator, first = std::min((from + d / 2) / d, most - 1);
      const std::size_t end = std::min(std::max((from + size + d / 2) / d, first + 1), most);
      return std::pair(first, end - first);
    };
    const auto [top, height] = along(b.top, b.height, info_.output_height);
    const auto [left, width] = along(b.left, b.width, info_.output_width);
    return {top, left, height, width};
  }

  jpeg_decompress_struct info_{};
  trouble trouble_{};
  jpeg_progress_mgr limit_{};
  bool sound_ = false;
};

}  // namespace plumbline::detail
