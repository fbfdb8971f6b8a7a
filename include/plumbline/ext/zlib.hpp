#pragma once
/// Lets lines, tfrecords and every other reader of byte_stream read gzip and zlib files, in any program one of whose
/// source files includes this header; link zlib (-lz). With CMake, linking plumbline::zlib does both and no include is
/// needed.

#ifndef PLUMBLINE_HAS_ZLIB
#define PLUMBLINE_HAS_ZLIB 1
#endif
#include <plumbline/sources/inflate.hpp>
