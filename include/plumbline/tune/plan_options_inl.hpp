#pragma once
/// Definitions of tune/plan_options.hpp.

#include <plumbline/tune/plan_options.hpp>

#include <algorithm>
#include <string>

namespace plumbline {

PLUMBLINE_INLINE run_options options_of_form(const plan& p, const std::vector<std::uint32_t>& caches,
                                             const run_options& given) {
  auto stated = given;
  if (!stated.threads) stated.threads = p.threads;
  if (!stated.prefetch) stated.prefetch = p.prefetch;
  if (!stated.chunk && p.chunk != 0) stated.chunk = p.chunk;
  if (!stated.io_threads && has_io_threads(p)) stated.io_threads = p.io_threads;
  if (stated.on_io_threads.empty())
    for (const auto& part : p.parts)
      if (part.waits)
        for (const auto o : part.operators) stated.on_io_threads.push_back(std::to_string(number_in_run(caches, o)));
  if (stated.parallelism.empty())
    for (const auto& part : p.parts)
      if (!part.serial && part.cores > 1e-6 && part.parallelism < (part.blocks ? p.io_threads : p.threads))
        stated.parallelism.emplace_back(std::to_string(number_in_run(caches, part.operators.back())), part.parallelism);
  return stated;
}
PLUMBLINE_INLINE run_options options_of_live(const plan& p, const run_options& given) {
  auto stated = given;
  if (!stated.threads) stated.threads = p.threads;
  return stated;
}

}  // namespace plumbline
