#pragma once
/// storage_read_cost: the processor time that reading from storage costs.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/tune/disk_reader.hpp>
#include <plumbline/tune/relative_error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::detail {

struct read_cost {
  double seconds_per_byte = 0;
  double error = 0;  ///< relative, as that of a measured_rate
};
/// Processor time that reading these files from storage costs the thread that reads, beyond reading them from memory:
/// the system finds memory for them, and starts requests. Reads the beginning of each file twice, until about `seconds`
/// are over. 0 if the files stay in memory.
inline read_cost storage_read_cost(const std::vector<std::string>& paths, std::size_t request_bytes, double seconds) {
  disk_reader from_storage(disk_access::read_ahead, request_bytes), from_memory(disk_access::cached, request_bytes);
  std::vector<double> costs;  // of the files, seconds a byte
  const auto read = [](disk_reader& r) {
    const auto begin = cpu_now();
    while (r.next() != 0) {
    }
    return 1e-9 * static_cast<double>(cpu_now() - begin);
  };
  double more = 0, bytes = 0;
  const auto begin = wall_now();
  for (const auto& path : paths) {
    const auto size = std::min(size_of_file(path), std::uint64_t{4} << 20U);
    from_storage.open(path, 0, size);
    const double cold = read(from_storage);
    from_memory.open(path, 0, size);
    const double each = cold - read(from_memory);
    if (size > 0) costs.push_back(each / static_cast<double>(size));
    more += each, bytes += static_cast<double>(size);
    if (1e-9 * static_cast<double>(wall_now() - begin) > seconds) break;
  }
  if (!(more > 0)) return {};
  return {more / bytes, relative_error(costs)};
}

}  // namespace plumbline::detail
