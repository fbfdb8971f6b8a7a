#pragma once
/// options_of: the options of a run from a plan. Options that the user stated are never overridden.

#include <plumbline/exec/options.hpp>
#include <plumbline/model/plan.hpp>

#include <algorithm>
#include <string>

namespace plumbline {

/// Returns the options for running the pipeline with the plan's caches in it. Parts that only run until a cache is full
/// are not limited, as they soon do nothing.
inline run_options options_of(const plan& p, run_options stated = {}) {
  if (!stated.threads) stated.threads = p.threads;
  if (!stated.prefetch) stated.prefetch = p.prefetch;
  if (!stated.chunk && p.chunk != 0) stated.chunk = p.chunk;
  const bool waits = std::any_of(p.parts.begin(), p.parts.end(), [](const auto& part) { return part.waits; });
  if (!stated.io_threads && p.io_threads != 0 && (p.caches.empty() || waits)) stated.io_threads = p.io_threads;
  if (stated.on_io_threads.empty())
    for (const auto& part : p.parts)
      if (part.waits)
        for (const auto o : part.operators) stated.on_io_threads.push_back(std::to_string(number_in_run(p, o)));
  if (stated.parallelism.empty())
    for (const auto& part : p.parts)
      if (!part.serial && part.cores > 1e-6 && part.parallelism < (part.blocks ? p.io_threads : p.threads))
        stated.parallelism.emplace_back(std::to_string(number_in_run(p, part.operators.back())), part.parallelism);
  return stated;
}

}  // namespace plumbline
