#pragma once
// JPEGs of every kind, written by libjpeg-turbo.
#if defined(PLUMBLINE_HAS_TURBOJPEG) && defined(PLUMBLINE_HAS_JPEG)
#include <cstdio>

#include <jpeglib.h>

#include <array>
#include <cstdlib>

#include <plumbline/data/image.hpp>

struct jpeg_kind {
  const char* name;
  std::array<std::array<int, 2>, 3> sampling{{{1, 1}, {1, 1}, {1, 1}}};       // horizontal, vertical, by component
  bool grey = false, progressive = false, arithmetic = false, apart = false;  // apart: a scan for each component
  unsigned restart = 0;                                                       // blocks between restarts
};

inline const jpeg_kind jpeg_kinds[] = {
    {.name = "4:4:4"},
    {.name = "4:2:2", .sampling = {{{2, 1}, {1, 1}, {1, 1}}}},
    {.name = "4:2:0", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}},
    {.name = "4:4:0", .sampling = {{{1, 2}, {1, 1}, {1, 1}}}},
    {.name = "4:1:1", .sampling = {{{4, 1}, {1, 1}, {1, 1}}}},
    {.name = "4:1:0", .sampling = {{{4, 2}, {1, 1}, {1, 1}}}},
    {.name = "2x4", .sampling = {{{2, 4}, {1, 1}, {1, 1}}}},
    {.name = "chroma of two kinds", .sampling = {{{2, 2}, {1, 2}, {2, 1}}}},
    {.name = "grey", .grey = true},
    {.name = "grey, 2x2", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}, .grey = true},
    {.name = "progressive 4:4:4", .progressive = true},
    {.name = "progressive 4:2:0", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}, .progressive = true},
    {.name = "progressive 4:2:2", .sampling = {{{2, 1}, {1, 1}, {1, 1}}}, .progressive = true},
    {.name = "progressive grey", .grey = true, .progressive = true},
    {.name = "scans apart 4:2:0", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}, .apart = true},
    {.name = "arithmetic 4:2:0", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}, .arithmetic = true},
    {.name = "restarts 4:2:0", .sampling = {{{2, 2}, {1, 1}, {1, 1}}}, .restart = 2},
};

inline plumbline::byte_tensor jpeg_of(const plumbline::image& in, const jpeg_kind& kind, int quality = 85) {
  jpeg_compress_struct info{};
  jpeg_error_mgr trouble{};
  info.err = jpeg_std_error(&trouble);
  jpeg_create_compress(&info);
  unsigned char* file = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &file, &size);
  info.image_width = static_cast<JDIMENSION>(in.width());
  info.image_height = static_cast<JDIMENSION>(in.height());
  info.input_components = kind.grey ? 1 : 3;
  info.in_color_space = kind.grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  for (int c = 0; c != info.num_components; ++c) {
    info.comp_info[c].h_samp_factor = kind.sampling[static_cast<std::size_t>(c)][0];
    info.comp_info[c].v_samp_factor = kind.sampling[static_cast<std::size_t>(c)][1];
  }
  if (kind.progressive) jpeg_simple_progression(&info);
  static const jpeg_scan_info apart[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (kind.apart) info.scan_info = apart, info.num_scans = 3;
  info.arith_code = kind.arithmetic ? TRUE : FALSE;
  info.restart_interval = kind.restart;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(in.row(info.next_scanline));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const plumbline::byte_tensor out = plumbline::byte_tensor::of(std::span<const std::uint8_t>(file, size));
  std::free(file);
  return out;
}
#endif
