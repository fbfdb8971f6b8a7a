#pragma once
/// A whole file in memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <plumbline/data/self_contained.hpp>
#include <plumbline/data/tensor.hpp>
#include <plumbline/sources/file.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/open_file.hpp>

namespace plumbline {

struct file_contents {
  std::string path;
  bytes data;
};
template <> inline constexpr bool self_contained<file_contents> = true;

namespace detail {
/// All of the file; nothing where `from` is the page cache and some of it is not there.
inline std::optional<bytes> read_whole(const open_file& f, read_from from) {
  bytes data =
      bytes::uninitialized({static_cast<std::size_t>(std::max<std::uint64_t>(f.size(), f.size() == 0 ? 4096 : 0))});
  std::size_t have = 0;
  for (;;) {
    while (have < data.size()) {
      const std::size_t n = f.read_at(data.data() + have, data.size() - have, have, from);
      if (n == open_file::not_cached) return std::nullopt;
      if (n == 0) break;
      have += n;
    }
    if (have < data.size()) break;
    std::uint8_t beyond = 0;
    const std::size_t more = f.read_at(&beyond, 1, have, from);
    if (more == open_file::not_cached) return std::nullopt;
    if (more == 0) break;
    if (f.size() > 0)
      throw io_error("plumbline: read_file found more in '" + f.path() + "' than the " + std::to_string(f.size()) +
                         " bytes that it had when it was opened: it is being written; read it when its writer is done",
                     f.path(), have);
    bytes larger = bytes::uninitialized({2 * have});
    std::memcpy(larger.data(), data.data(), have);
    data = std::move(larger);
  }
  data.truncate_front(have);
  return data;
}

/// The same as read_bytes() if storage need not be asked for any of it; else nothing. Reads what the page cache holds
/// on the compute worker that needs it: no hand-over to an I/O thread and back, and the bytes are in that core's cache
/// when they are decoded. Linux 5.12 on ext4, XFS or Btrfs; elsewhere always nothing. Errors: read_bytes() reports
/// those of opening.
inline std::optional<bytes> read_cached_bytes(const std::string& path) {
  const auto f = open_file::cached(path, "read_file");
  return f ? read_whole(*f, read_from::page_cache) : std::nullopt;
}
}  // namespace detail

/// The file's bytes as they are stored, in memory from the pool. Five system calls for a file of up to 128 KiB, six
/// beyond. Throws io_error: it cannot be opened or read, is no regular file, or changes its size while it is read (half
/// of an old and half of a new file is worse than none). A file of size 0 is read to its end, so files of /proc come
/// whole.
inline bytes read_bytes(const std::string& path) {
  constexpr std::size_t readahead = std::size_t{128} << 10U;  // what Linux fetches ahead by itself
  const detail::open_file f(path, "read_file");
  if (f.size() > readahead) f.will_read_all();
  return *detail::read_whole(f, detail::read_from::storage);
}

}  // namespace plumbline
