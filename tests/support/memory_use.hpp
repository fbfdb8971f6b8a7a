#pragma once
/// How much memory this process uses, in bytes.

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace plumbline_test {

/// Of its pages, what is in memory.
inline std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}
/// Of malloc, what is in use.
inline std::size_t allocated_bytes() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace plumbline_test
