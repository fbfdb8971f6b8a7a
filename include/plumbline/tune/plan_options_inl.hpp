#pragma once
/// Definitions of tune/plan_options.hpp.

#include <plumbline/tune/plan_options.hpp>

#include <charconv>
#include <cstdint>
#include <string>

namespace plumbline {

namespace detail {
/// An operator's name as it is, its number as it is in the form with these caches.
inline std::string in_form(const std::string& which, const std::vector<std::uint32_t>& caches) {
  std::uint32_t n = 0;
  std::from_chars(which.data(), which.data() + which.size(), n);
  return which == std::to_string(n) ? std::to_string(number_in_run(caches, n)) : which;
}
}  // namespace detail

PLUMBLINE_INLINE run_options options_of_live(const plan& p, const std::vector<std::uint32_t>& caches,
                                             const run_options& given) {
  auto stated = given;
  if (!stated.threads) stated.threads = p.threads;
  for (auto& [which, most] : stated.parallelism) which = detail::in_form(which, caches);
  for (auto& which : stated.on_io_threads) which = detail::in_form(which, caches);
  return stated;
}
PLUMBLINE_INLINE run_options options_of_form(const plan& p, const std::vector<std::uint32_t>& caches,
                                             const run_options& given) {
  auto stated = options_of_live(p, caches, given);
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

}  // namespace plumbline
