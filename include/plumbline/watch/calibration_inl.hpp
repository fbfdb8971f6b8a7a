#pragma once
/// Definitions of watch/calibration.hpp.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/watch/calibration.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace plumbline::detail {

/// The work of one thread.
class calibration_work {
 public:
  void unit() {
    constexpr std::size_t block = std::size_t{16} << 10;
    auto x = state_;
    std::uint64_t odd = 0;
    for (int i = 0; i != 3000; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      if ((x & 3) == 0) odd += x % 7;
    }
    state_ = x + (odd & 1);
    const auto blocks = memory_.size() / block;
    std::memmove(&memory_[x % blocks * block], &memory_[(x >> 20) % blocks * block], block);
    memory_[x % memory_.size()] = static_cast<unsigned char>(x);
  }
  std::uint64_t result() const { return state_ + memory_[state_ % memory_.size()]; }

 private:
  std::uint64_t state_ = 88172645463325252ULL;
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(std::size_t{1} << 20, 1);
};

PLUMBLINE_INLINE double calibrate(std::size_t threads, double seconds) {
  std::atomic<std::uint64_t> units{0}, results{0};
  std::atomic<std::int64_t> cpu{0};
  const auto end = wall_now() + static_cast<std::int64_t>(1e9 * seconds);
  const auto work = [&] {
    calibration_work own;
    own.unit();
    const auto since = cpu_now();
    std::uint64_t n = 0;
    do {
      own.unit();
      ++n;
    } while (wall_now() < end);
    cpu += cpu_now() - since;
    units += n;
    results += own.result();
  };
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i != threads; ++i) all.emplace_back(work);
  }
  volatile std::uint64_t used = results.load();  // so that the work is done
  static_cast<void>(used);
  return 1e-9 * static_cast<double>(cpu.load()) / static_cast<double>(units.load());
}

}  // namespace plumbline::detail
