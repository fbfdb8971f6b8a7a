#pragma once
/// chunk_sizer: the number of elements in a message.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// Chooses the number of elements in a message from the measured cost of an element.
class chunk_sizer {
 public:
  /// `fixed` != 0: the user's chunk size.
  explicit chunk_sizer(std::size_t fixed) : fixed_(fixed) {}
  /// `spent`: in ns.
  void measured(std::int64_t spent, std::uint64_t elements) {
    if (elements == 0) return;
    const double now = static_cast<double>(spent) / static_cast<double>(elements);
    const double before = cost_.load(std::memory_order_relaxed);
    cost_.store(before == 0 ? now : before + 0.25 * (now - before), std::memory_order_relaxed);
  }
  /// Elements for the next message: about 100 us of work (a message itself costs 1 to 2 us). Grows at most fourfold per
  /// call.
  std::size_t elements(std::size_t most) {
    if (fixed_ != 0) return fixed_;
    const double cost = cost_.load(std::memory_order_relaxed);
    std::size_t want = last_;
    if (cost > 0) {
      const double fit = 100'000.0 / cost;
      want = fit >= static_cast<double>(most) ? most : fit < 1 ? 1 : static_cast<std::size_t>(fit);
    }
    last_ = std::min({want, last_ * 4, std::max<std::size_t>(most, 1)});
    return last_;
  }

 private:
  std::size_t fixed_;
  std::atomic<double> cost_{0};  // ns per element
  std::size_t last_ = 1;         // used by the producer only
};

}  // namespace plumbline::detail
