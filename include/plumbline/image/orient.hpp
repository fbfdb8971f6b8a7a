#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/image/picture.hpp>

namespace plumbline::detail {

/// Turns the picture as an Exif orientation (1 to 8) states: 2 mirrored, 3 turned by 180 degrees, 4 upside down,
/// 5 transposed, 6 turned clockwise, 7 transposed along the other diagonal, 8 turned anticlockwise. O(pixels).
image oriented(image in, int orientation);

/// Where a box of an h x w picture is after oriented(). O(1).
box oriented(box b, int orientation, std::size_t h, std::size_t w) noexcept;
/// The orientation that undoes another.
constexpr int undone(int orientation) noexcept { return orientation == 6 ? 8 : orientation == 8 ? 6 : orientation; }

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/orient_inl.hpp>
#endif
