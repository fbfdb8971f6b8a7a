#pragma once
/// One line per image function, to be passed to map.

#include <plumbline/image/center_crop.hpp>
#include <plumbline/image/decode.hpp>
#include <plumbline/image/decode_center_crop.hpp>
#include <plumbline/image/decode_random_resized_crop.hpp>
#include <plumbline/image/normalize.hpp>
#include <plumbline/image/random_flip.hpp>
#include <plumbline/image/random_resized_crop.hpp>
#include <plumbline/image/resize.hpp>
#include <plumbline/image/to_planar.hpp>
#include <plumbline/image/write_png.hpp>
