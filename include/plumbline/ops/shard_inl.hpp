#pragma once
/// Definitions of ops/shard.hpp.

#include <plumbline/ops/shard.hpp>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace plumbline::detail {

PLUMBLINE_INLINE worker_place launched() {
  struct names {
    const char *count, *index, *both;
  };
  const auto number = [](const char* name, const char* text) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), n);
    if (error != std::errc{} || *end != '\0')
      throw std::invalid_argument("plumbline: shard(): the environment variable " + std::string(name) + " is \"" +
                                  text + "\"; it should be a number");
    return n;
  };
  std::string looked_for;
  for (const auto& [count, index, both] :
       {names{"WORLD_SIZE", "RANK", "RANK of WORLD_SIZE"},
        names{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK of OMPI_COMM_WORLD_SIZE"},
        names{"SLURM_NTASKS", "SLURM_PROCID", "SLURM_PROCID of SLURM_NTASKS"},
        names{"PMI_SIZE", "PMI_RANK", "PMI_RANK of PMI_SIZE"}}) {
    looked_for += (looked_for.empty() ? "" : ", ") + std::string(count) + " and " + index;
    const char *c = std::getenv(count), *i = std::getenv(index);
    if (c == nullptr || i == nullptr) continue;
    const worker_place found{number(count, c), number(index, i), both};
    if (found.index >= found.count)
      throw std::invalid_argument("plumbline: shard(): " + std::string(index) + " is " + i + ", and " + count + " is " +
                                  c + "; the index must be below the count");
    return found;
  }
  throw std::invalid_argument("plumbline: shard(): no launcher has set " + looked_for +
                              "; start one process for each worker, or give shard(count, index)");
}

}  // namespace plumbline::detail
