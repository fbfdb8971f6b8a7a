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

/// Reads the first `most` bytes of a file into `to`, piece after piece; returns how many there were, 0 if it cannot be
/// read.
inline double read_through(const std::string& path, std::vector<char>& to, double most) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  double all = 0;
  for (ssize_t n = 0; all < most && (n = ::read(fd, to.data(), to.size())) > 0;) all += static_cast<double>(n);
  ::close(fd);
  return all;
}

/// Bytes a second that `threads` threads read of these files together, from memory as far as they are there. Of large
/// files and of many, only as many as are more than a processor's cache holds.
inline measured_rate measure_reads(std::vector<std::string> paths, std::size_t threads, double seconds) {
  constexpr std::size_t rounds = 5, piece = std::size_t{1} << 20;
  constexpr double of_file = 0x1p26, of_all = 0x1p28;  // bytes
  std::atomic<std::size_t> next{0};
  const auto measure = [&](double& rate) {
    std::vector<char> room(piece);
    double own = 0, passed = 0;
    const auto begin = wall_now();
    do {
      own += read_through(paths[next++ % paths.size()], room, of_file);
      passed = seconds_since(begin);
    } while (passed < seconds / rounds);
    rate = own / passed;
  };
  std::vector<char> room(piece);
  std::size_t enough = 0;
  for (double read = 0; enough != paths.size() && read < of_all; ++enough)
    read += read_through(paths[enough], room, of_file);  // into memory
  paths.resize(enough);
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
