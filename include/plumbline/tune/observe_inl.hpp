#pragma once
/// Definitions of tune/observe.hpp.

#include <plumbline/tune/observe.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

namespace plumbline::detail {

/// Decides after how many elements the clock is read again, since reading it takes longer than some elements.
class looks {
 public:
  bool due() { return ++taken_ >= every_; }
  /// Doubles the interval if it took under 100 us; reads the clock after every element if it took over 1 ms.
  void looked(double now) {
    every_ = now - last_ > 1e-3 ? 1 : now - last_ < 1e-4 ? std::min<std::uint64_t>(2 * every_, 256) : every_;
    taken_ = 0;
    last_ = now;
  }

 private:
  std::uint64_t every_ = 1, taken_ = 0;
  double last_ = 0;
};

PLUMBLINE_INLINE observed_rate observe(watched& s, const char* caller, double seconds, bool again, std::uint64_t most) {
  using clock = std::chrono::steady_clock;
  const auto since = [](clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); };
  observed_rate seen;
  const auto first_epoch = s.epoch();
  const auto begin = clock::now();
  clock::time_point first{};
  double half_rate = 0, half_at = 0;
  looks clock_looks;
  std::uint64_t this_epoch = 0;
  bool in_first = true;
  double window_at = 0;
  std::uint64_t window_count = 0;
  for (;;) {
    const bool there = this_epoch != most && s.next();
    if (there) {
      ++this_epoch;
      if (++seen.count == 1) first = clock::now();
      if (in_first) seen.in_first_epoch = this_epoch;
      if (!clock_looks.due()) continue;
    } else {
      if (seen.count == 0)
        throw std::invalid_argument(std::string("plumbline: ") + caller +
                                    ": the pipeline has no elements; check its source and its filters");
      this_epoch = 0;
      in_first = again;
      if (again)
        s.restart(first_epoch);
      else
        s.restart();
    }
    const double now = since(begin);
    clock_looks.looked(now);
    // with few elements, some arrived together, as threads had made them in parallel
    if (seen.few())
      seen.rate = static_cast<double>(seen.count) / now;
    else
      seen.rate = static_cast<double>(seen.count - 1) / since(first);
    seen.seconds = now;
    if (now - window_at > seconds / 20 && !seen.few()) {
      if (window_count != 0)  // the first is the warm-up
        seen.windows.push_back(static_cast<double>(seen.count - window_count) / (now - window_at));
      window_at = now;
      window_count = seen.count;
    }
    if (seen.count > 1 && now > seconds) break;
    if (now > 2 * half_at && !seen.few()) {
      if (now > 0.25 * seconds && std::abs(seen.rate - half_rate) < 0.01 * seen.rate) break;
      half_at = now;
      half_rate = seen.rate;
    }
    if (now > 20 * seconds) break;  // elements take that long
  }
  return seen;
}

PLUMBLINE_INLINE observed_rate observe_steady(watched& s, double seconds, bool cached, std::uint64_t first_epoch,
                                              look how) {
  constexpr auto caller = "optimize";
  if (!cached) return observe(s, caller, seconds);
  if (how == look::when_steady) s.record(false);
  const auto seen = observe(s, caller, seconds / 2);
  if (seen.in_first_epoch == seen.count && s.shorten()) {
    s.restart(first_epoch);
    while (s.next()) {  // makes what was abandoned half-made
    }
  }
  if (how == look::when_steady) s.record(true);
  s.restart(first_epoch);
  return observe(s, caller, seconds / 2, true, seen.in_first_epoch);
}

}  // namespace plumbline::detail
