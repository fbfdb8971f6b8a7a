#pragma once
/// Definitions of model/live_form.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/model/live_form.hpp>
#include <plumbline/model/plan_caches.hpp>
#include <plumbline/model/replan_inl.hpp>  // as_written

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace plumbline {

namespace detail {
inline std::string form_text(const plan& p) {
  const auto text = caches_text(p);
  return text.empty() ? "no cache" : text;
}
/// Makes the elements that the caches of `running` keep larger, if `held` is more than the plan said. Returns what the
/// plan said, in bytes.
inline double correct_sizes(trace& seen, const plan& running, double held) {
  const auto size = sizes(seen);
  const double written = held_by_caches(seen, size, infinite);
  double planned = 0;
  for (const auto after : running.caches)
    planned += kept_after(running, after) * surely(size[after - 1].bytes, size[after - 1].error);
  const double by = planned > 0 ? (held - written) / planned : 1;
  for (const auto after : running.caches) {
    if (by <= 1) break;
    auto& c = seen.counters[after - 1];
    c.bytes = static_cast<std::uint64_t>(by * static_cast<double>(c.bytes));
    c.bytes_squared *= by * by;
  }
  return written + planned;
}
}  // namespace detail

PLUMBLINE_INLINE std::optional<form_change> better_form(const trace& seen, const plan& running, double held,
                                                        const resources& have, const goal& want, double at) {
  form_change to{.made = {}, .seen = seen, .log = {}};
  const bool fits = held <= cache_share_of_memory * have.memory;
  double planned = held;
  try {
    if (!fits) planned = detail::correct_sizes(to.seen, running, held);
    to.made = make_plan(to.seen, have, want);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  const auto& best = to.made.best;
  if (detail::same_caches(best, running)) return std::nullopt;
  if (fits && best.rate < 1.1 * running.rate) return std::nullopt;
  to.log = {at, "form: " + detail::form_text(running) + " -> " + detail::form_text(best),
            fits ? "the budget is " + bytes_text(have.memory) + " now"
                 : "the caches hold " + bytes_text(held) +
                       (held > 1.05 * planned ? ", not " + bytes_text(planned) + " as planned" : "") +
                       ", and the budget is " + bytes_text(have.memory) + " now",
            running.rate, best.rate};
  return to;
}

PLUMBLINE_INLINE std::optional<form_change> form_shown(const trace& shown, const plan& running, const resources& have,
                                                       const goal& want, double at) {
  form_change to{.made = {}, .seen = shown, .log = {}};
  double without = 0;
  try {
    without =
        make_plan(shown, have, {.prefetch = want.prefetch, .cache_sites = std::vector<std::uint32_t>{}}).best.rate;
    to.made = make_plan(shown, have, want);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  const auto& best = to.made.best;
  const double observed = to.made.rates.observed, own = shown.wall_seconds - shown.consumer_wait_seconds;
  const double taken_most = own > 0 ? observed * shown.wall_seconds / own : detail::infinite;
  if (best.caches.empty() || std::min(best.rate, taken_most) < 1.2 * std::min(without, taken_most)) return std::nullopt;
  to.log = {at, "form: " + detail::form_text(running) + " -> " + detail::form_text(best),
            "from what its elements cost and hold, " + number_text(without) + " a second are possible without",
            observed, best.rate};
  return to;
}

PLUMBLINE_INLINE live_limits limits_of(const plan& by, const std::vector<layout_row>& rows, live_limits limits) {
  std::size_t io = 0;
  for (auto& part : limits.parts) {
    const auto written = detail::as_written(rows, {.operators = part.operators});
    for (const auto& p : by.parts) {
      if (part.stated || part.serial || p.serial || p.operators != written) continue;
      part.at_once = p.parallelism;
      part.waits = part.waits || p.waits;
      if (part.waits) io += part.at_once;
    }
  }
  limits.io_threads = std::max(limits.io_threads, io);
  for (auto& b : limits.buffers) {
    if (!b.stated && b.output && !b.has_stages) b.messages = std::clamp<std::size_t>(by.prefetch, 2, b.most);
    if (by.chunk != 0 && b.has_stages) b.elements = by.chunk;
  }
  return limits;
}

}  // namespace plumbline
