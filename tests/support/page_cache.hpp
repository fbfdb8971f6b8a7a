#pragma once
/// What the page cache has of a file.

#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline_test {

/// The number of the file's pages, and of those that are in the page cache.
struct cached_pages {
  double all = 0, there = 0;
};
/// Not by a read that may not wait, as measure_disk does: for pages that are not there, that may begin to read them.
inline cached_pages pages_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat s {};
  if (fd < 0 || ::fstat(fd, &s) != 0) throw std::runtime_error("cannot open " + path);
  const auto size = static_cast<std::size_t>(s.st_size), page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* at = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0) : nullptr;
  ::close(fd);
  if (at == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  std::vector<unsigned char> there((size + page - 1) / page);
  cached_pages out{static_cast<double>(there.size()), 0};
  if (size > 0 && ::mincore(at, size, there.data()) == 0)
    out.there = static_cast<double>(std::count_if(there.begin(), there.end(), [](auto x) { return (x & 1) != 0; }));
  if (size > 0) ::munmap(at, size);
  return out;
}
/// Asks the system to drop the file, which must have been written to storage, from the page cache.
inline void drop_pages(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("cannot open " + path);
  (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}
/// Writes all files of the file system that this one is on to storage.
inline void write_to_storage(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::syncfs(fd) != 0) throw std::runtime_error("cannot write " + path + " to storage");
  ::close(fd);
}

}  // namespace plumbline_test
