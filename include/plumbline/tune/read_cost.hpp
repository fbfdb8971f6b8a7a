#pragma once
/// storage_read_cost: the processor time that reading from storage costs.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/tune/disk_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::detail {

/// Processor seconds for each byte that reading these files from storage costs the thread that reads, beyond reading
/// them from memory: the system finds memory for them, and starts requests. Reads the beginning of each file twice,
/// until about `seconds` are over. 0 if the files stay in memory.
inline double storage_read_cost(const std::vector<std::string>& paths, std::size_t request_bytes, double seconds) {
  disk_reader from_storage(disk_access::read_ahead, request_bytes), from_memory(disk_access::cached, request_bytes);
  std::uint64_t bytes = 0;
  std::int64_t more = 0;  // ns
  const auto cost = [](disk_reader& r) {
    const auto begin = cpu_now();
    while (r.next() != 0) {
    }
    return cpu_now() - begin;
  };
  const auto begin = wall_now();
  for (const auto& path : paths) {
    const auto size = std::min(size_of_file(path), std::uint64_t{4} << 20U);
    from_storage.open(path, 0, size);
    more += cost(from_storage);
    from_memory.open(path, 0, size);
    more -= cost(from_memory);
    bytes += size;
    if (1e-9 * static_cast<double>(wall_now() - begin) > seconds) break;
  }
  return bytes > 0 ? std::max(1e-9 * static_cast<double>(more) / static_cast<double>(bytes), 0.0) : 0;
}

}  // namespace plumbline::detail
