#pragma once
/// Definitions of exec/stage_base.hpp.

#include <plumbline/exec/stage_base.hpp>

#include <exception>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE bool chunk_stage::process(message& m, bool may_wait) {
  auto* in = m.load;
  auto* out = std::exchange(m.begun, nullptr);
  const auto begin = element_cost::now(segment_.waits && may_wait);
  const std::uint64_t before = m.done, all = in != nullptr ? in->size() : m.count;
  std::uint64_t done = std::exchange(m.done, 0);
  try {
    if (out == nullptr) out = fresh_chunk();
    if (!make(m, *out, done, may_wait) && !may_wait) {
      m.begun = out;
      m.done = done;
      return false;
    }
  } catch (...) {
    m.error = std::current_exception();  // an earlier element's error replaces one that came with the message
    m.last = true;
  }
  if (in != nullptr) in->recycle();
  const auto count = static_cast<double>(m.count);
  if (all == 0)
    segment_.cost->nothing_left(begin, count);
  else
    segment_.cost->measured(begin, count * static_cast<double>(done - before) / static_cast<double>(all), m.together);
  m.together = false;
  m.load = out;
  return true;
}

}  // namespace plumbline::detail
