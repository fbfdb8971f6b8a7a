#pragma once
/// Resizing by a triangle filter whose width grows with the reduction ("antialiased bilinear"): the definition that
/// Pillow and torchvision (antialias = True) share.
///
/// Everything is integer arithmetic: weights are exact fractions rounded to 14 bits, sums are 32-bit, and only the end
/// result is rounded to 8 bits (between the passes 7 fraction bits are kept). So the result is the same on every
/// machine and with every instruction set. Pillow and torchvision round to 8 bits between the passes as well, so some
/// results differ from theirs by one grey level.

#include <plumbline/core/compiled.hpp>
#include <plumbline/image/picture.hpp>

#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// Resizes the box `from` of `source` to `height` x `width`, into `out` (height * width * channels bytes).
/// Time O(out pixels * reduction); memory: one row and the weights. The box is not copied.
/// The pass down the columns comes first: it reads memory in order and its result stays in the first-level cache.
void resample(picture_view<const std::uint8_t> source, const box& from, std::size_t height, std::size_t width,
              std::uint8_t* out);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/resample_inl.hpp>
#endif
