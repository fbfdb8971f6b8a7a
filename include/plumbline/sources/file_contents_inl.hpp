#pragma once
/// Definitions of sources/file_contents.hpp.

#include <plumbline/data/file_memory.hpp>
#include <plumbline/sources/file_contents.hpp>
#include <plumbline/sources/io_error.hpp>
#include <plumbline/sources/open_file.hpp>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace plumbline::detail {

/// All of the file; nothing if `from` is the page cache and some of the file is not there.
inline std::optional<byte_tensor> read_whole(const open_file& f, read_from from) {
  const auto memory = [&](std::uint64_t bytes) {
    try {
      return byte_tensor::uninitialized({static_cast<std::size_t>(bytes)});
    } catch (const std::bad_alloc&) {
      throw_errno("read_file", "find memory for the " + std::to_string(bytes) + " bytes of", f.path(), 0, ENOMEM);
    }
  };
  byte_tensor data = memory(f.size() == 0 ? 4096 : f.size());
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
    byte_tensor larger = memory(2 * have);
    std::memcpy(larger.data(), data.data(), have);
    data = std::move(larger);
  }
  data.truncate_front(have);
  return data;
}

PLUMBLINE_INLINE std::optional<byte_tensor> read_cached_bytes(const std::string& path) {
  if (auto* m = file_memory::here()) return m->bytes(path, read_bytes);
  const auto f = open_file::cached(path, "read_file");
  return f ? read_whole(*f, read_from::page_cache) : std::nullopt;
}

}  // namespace plumbline::detail

namespace plumbline {

PLUMBLINE_INLINE byte_tensor read_bytes(const std::string& path) {
  constexpr std::size_t readahead = std::size_t{128} << 10U;  // what Linux reads ahead by itself
  const detail::open_file f(path, "read_file");
  if (f.size() > readahead) f.will_read_all();
  return *detail::read_whole(f, detail::read_from::storage);
}

}  // namespace plumbline
