#pragma once
/// A whole file in memory.

#include <optional>
#include <string>

#include <plumbline/core/compiled.hpp>
#include <plumbline/data/self_contained.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/sources/file.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

struct file_contents {
  std::string path;
  byte_tensor data;
};
template <> inline constexpr bool self_contained<file_contents> = true;

namespace detail {
/// The same as read_bytes() if the page cache holds all of the file; else nothing. So a cached file is read on the
/// compute worker that needs it: it is not passed to an I/O thread and back, and the bytes are in that core's cache
/// when they are decoded. Needs Linux 5.12 on ext4, XFS or Btrfs; elsewhere always nothing. Errors in opening are
/// reported by read_bytes().
std::optional<byte_tensor> read_cached_bytes(const std::string& path);
}  // namespace detail

/// The file's bytes as they are stored, in memory from the pool. Five system calls for a file of up to 128 KiB, six
/// beyond. Throws io_error if it cannot be opened or read, is not a regular file, or changes its size while it is read
/// (half of an old and half of a new file is worse than none). A file of size 0 is read to its end, so files of /proc
/// are complete.
byte_tensor read_bytes(const std::string& path);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/file_contents_inl.hpp>
#endif
