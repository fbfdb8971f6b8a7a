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
  bytes data;
};
template <> inline constexpr bool self_contained<file_contents> = true;

namespace detail {
/// The same as read_bytes() if storage need not be asked for any of it; else nothing. Reads what the page cache holds
/// on the compute worker that needs it: no hand-over to an I/O thread and back, and the bytes are in that core's cache
/// when they are decoded. Linux 5.12 on ext4, XFS or Btrfs; elsewhere always nothing. Errors: read_bytes() reports
/// those of opening.
std::optional<bytes> read_cached_bytes(const std::string& path);
}  // namespace detail

/// The file's bytes as they are stored, in memory from the pool. Five system calls for a file of up to 128 KiB, six
/// beyond. Throws io_error: it cannot be opened or read, is no regular file, or changes its size while it is read (half
/// of an old and half of a new file is worse than none). A file of size 0 is read to its end, so files of /proc come
/// whole.
bytes read_bytes(const std::string& path);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/file_contents_inl.hpp>
#endif
