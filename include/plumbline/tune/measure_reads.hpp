#pragma once
/// measure_reads: how fast files are read from memory.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/tune/measured_rate.hpp>
#include <plumbline/tune/relative_error.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace plumbline::detail {

inline double seconds_since(std::int64_t begin) { return 1e-9 * static_cast<double>(wall_now() - begin); }

/// Reads a file from start to end into `to`, piece after piece; returns its size, 0 if it cannot be read.
inline double read_through(const std::string& path, std::vector<char>& to) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  double all = 0;
  for (ssize_t n = 0; (n = ::read(fd, to.data(), to.size())) > 0;) all += static_cast<double>(n);
  ::close(fd);
  return all;
}

/// Bytes a second that `threads` threads read of these files together, from memory as far as they are there.
inline measured_rate measure_reads(const std::vector<std::string>& paths, std::size_t threads, double seconds) {
  constexpr std::size_t rounds = 5, piece = std::size_t{1} << 20;
  std::atomic<std::size_t> next{0};
  const auto measure = [&](double& rate) {
    std::vector<char> room(piece);
    double own = 0, passed = 0;
    const auto begin = wall_now();
    do {
      own += read_through(paths[next++ % paths.size()], room);
      passed = seconds_since(begin);
    } while (passed < seconds / rounds);
    rate = own / passed;
  };
  std::vector<char> room(piece);
  for (const auto& path : paths) read_through(path, room);  // into memory
  std::vector<double> seen;
  for (std::size_t round = 0; round != rounds; ++round) {
    std::vector<double> rates(std::max<std::size_t>(threads, 1));
    {
      std::vector<std::jthread> workers;
      for (auto& rate : rates) workers.emplace_back([&measure, &rate] { measure(rate); });
    }
    seen.push_back(std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return {std::accumulate(seen.begin(), seen.end(), 0.0) / rounds, relative_error(seen)};
}

}  // namespace plumbline::detail
