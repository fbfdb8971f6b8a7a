#pragma once
/// Definitions of exec/marker.hpp.

#include <plumbline/exec/marker.hpp>

#include <algorithm>
#include <limits>

namespace plumbline::detail {

PLUMBLINE_INLINE std::shared_ptr<const saved> marker::take(restartable& part) {
  const auto before = cpu_now();  // CPU time, as waiting for the CPU is not part of the cost
  if (tries_ == 0) spent_ = 0;
  saving io;
  try {
    part.save(io);
  } catch (...) {  // perhaps no memory for copies
    io.not_now();
  }
  tries_ = io.ok() || io.hopeless() || tries_ == most_tries ? 0 : tries_ + 1;
  auto made = io.ok() ? io.take() : nullptr;
  spent_ += cpu_now() - before;
  if (tries_ != 0) return made;
  // One that took long by accident, as the core did other work, does not put off the next ones: until another takes as
  // long, they cost at most twice as much as those before.
  const auto cost = before_ == 0 ? spent_ : std::min(spent_, 2 * before_);
  before_ = std::max<std::int64_t>(spent_, 1);
  next_ = io.hopeless() ? std::numeric_limits<std::int64_t>::max() : wall_now() + 100 * cost;
  return made;
}

}  // namespace plumbline::detail
