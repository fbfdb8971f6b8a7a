#pragma once
/// Definitions of ops/bucket_by_length.hpp.

#include <plumbline/data/codec.hpp>
#include <plumbline/ops/bucket_by_length.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE void check_buckets(const bucket_options& how) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("plumbline: bucket_by_length: " + why);
  };
  for (std::size_t i = 1; i < how.boundaries.size(); ++i)
    if (how.boundaries[i] <= how.boundaries[i - 1])
      refuse("boundary " + std::to_string(how.boundaries[i]) + " follows " + std::to_string(how.boundaries[i - 1]) +
             "; give them in ascending order");
  if (how.batch_sizes.empty() && how.tokens == 0)
    refuse("nothing says when a batch is full; set batch_sizes or tokens");
  if (!how.batch_sizes.empty() && how.batch_sizes.size() != how.boundaries.size() + 1)
    refuse(std::to_string(how.batch_sizes.size()) + " batch_sizes for " + std::to_string(how.boundaries.size() + 1) +
           " buckets; give one more than there are boundaries");
  for (const auto n : how.batch_sizes)
    if (n == 0) refuse("a batch size is 0; give at least 1");
  if (how.pad_to_boundary && how.boundaries.empty()) refuse("pad_to_boundary needs boundaries; set them");
  if (!how.boundaries.empty() && how.boundaries.front() == 0)
    refuse("no length is below a boundary of 0; leave it out");
}
PLUMBLINE_INLINE std::uint64_t hash_of_buckets(const bucket_options& how) { return hash_of(how); }
PLUMBLINE_INLINE std::uint64_t elements_in_buckets(const bucket_options& how) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i <= how.boundaries.size(); ++i) {
    std::uint64_t here = unbounded;
    if (how.tokens != 0) {
      const auto length = how.boundaries.empty() ? 1 : how.boundaries[std::min(i, how.boundaries.size() - 1)];
      here = std::max<std::uint64_t>(how.tokens / length, 1);
    }
    if (!how.batch_sizes.empty()) here = std::min(here, how.batch_sizes[i]);
    all = add_sat(all, here);
  }
  return all;
}

}  // namespace plumbline::detail
