#pragma once
/// Definitions of model/replan.hpp.

#include <plumbline/model/bursts.hpp>
#include <plumbline/model/replan.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace plumbline {

namespace detail {
/// The operators of a part of the form that ran, numbered as in the pipeline as written.
inline std::vector<std::uint32_t> as_written(const std::vector<layout_row>& in_run, const part_plan& part) {
  std::vector<std::uint32_t> written;
  std::uint32_t n = 0;
  for (const auto& row : in_run) {
    if (row.added) continue;
    ++n;
    if (std::binary_search(part.operators.begin(), part.operators.end(), row.number)) written.push_back(n);
  }
  return written;
}
}  // namespace detail

PLUMBLINE_INLINE std::optional<replanning> replan(planning& first, trace seen, resources have, const goal& want) {
  auto& p = first.best;
  const double memory = have.memory;
  have.memory = std::numeric_limits<double>::infinity();  // whether caches fit was decided from the first trace
  // no more I/O threads than ran: with more of them a service may answer more slowly, which the trace does not show
  if (std::any_of(p.parts.begin(), p.parts.end(), [](const auto& part) { return part.waits; }))
    have.io_threads = std::min(have.io_threads, static_cast<double>(p.io_threads));
  replanning look{std::move(seen), {}};
  try {
    auto no_more = want;
    no_more.cache_sites.emplace();
    look.made = make_plan(look.seen, have, no_more);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  const auto& again = look.made.best;
  for (auto* all : {&look.made.limits, &look.made.as_planned})
    for (const auto& l : first.limits)  // what was read back was still in memory
      if (l.kind == limit_kind::cache_disk || l.kind == limit_kind::shared_disk)
        all->insert(
            std::upper_bound(all->begin(), all->end(), l, [](const auto& a, const auto& b) { return a.rate < b.rate; }),
            l);
  p.rate = again.rate;
  p.bottleneck = again.bottleneck;
  if (!look.made.as_planned.empty())
    detail::set_rate(p, look.made.as_planned,
                     detail::has_bursts(look.made.reading) ? look.made.reading : first.reading);
  p.chunk = again.chunk;
  const double each = first.demand.root_bytes;
  for (; p.prefetch < again.prefetch && p.memory + each <= memory; ++p.prefetch) p.memory += each;
  for (; p.prefetch > again.prefetch; --p.prefetch) p.memory -= each;
  for (auto& part : p.parts)
    for (const auto& ran : again.parts)
      if (ran.serial == part.serial && ran.blocks == part.blocks &&
          detail::as_written(look.seen.operators, ran) == part.operators) {
        if (part.waits || !part.blocks || !detail::has_bursts(first.reading)) part.parallelism = ran.parallelism;
        part.cores = ran.cores;
      }
  return look;
}

}  // namespace plumbline
