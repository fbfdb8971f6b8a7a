#pragma once
/// Definitions of tune/form_sites.hpp.

#include <plumbline/tune/form_sites.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plumbline::detail {

PLUMBLINE_INLINE std::vector<std::uint32_t> all_of(std::span<const site> sites) {
  std::vector<std::uint32_t> numbers;
  for (const auto& s : sites) numbers.push_back(s.after);
  return numbers;
}
PLUMBLINE_INLINE std::vector<std::uint32_t> shares_of(std::span<const site> sites) {
  std::vector<std::uint32_t> numbers;
  for (const auto& s : sites)
    if (s.shares) numbers.push_back(s.after);
  return numbers;
}
PLUMBLINE_INLINE std::optional<std::vector<std::size_t>> places_of(const plan& by,
                                                                   const std::vector<std::uint32_t>& share_sites) {
  std::vector<std::size_t> places;
  for (const auto after : by.caches) {
    const auto at = std::find(share_sites.begin(), share_sites.end(), after);
    if (at == share_sites.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(at - share_sites.begin()));
  }
  return places;
}
PLUMBLINE_INLINE bool names_exactly(const plan& by, std::span<const site> sites, std::size_t which) {
  auto after = by.caches;
  std::sort(after.begin(), after.end());
  std::vector<std::uint32_t> own;
  for (std::size_t i = 0; i != sites.size(); ++i)
    if ((which >> i & 1U) != 0) own.push_back(sites[i].after);
  return own == after;
}
PLUMBLINE_INLINE void refuse_form(const plan& by) {
  auto after = by.caches;
  std::sort(after.begin(), after.end());
  std::string at;
  for (const auto number : after) at += (at.empty() ? "" : " and ") + std::to_string(number);
  const bool several = by.caches.size() > 1;
  throw std::invalid_argument("plumbline: plan: " + std::string(several ? "caches" : "a cache") + " after operator " +
                              at + (several ? " are" : " is") + " not among the forms that were compiled" +
                              (several ? ", or are on the same path" : "") + "; optimize<Sites>(p) compiles more");
}

}  // namespace plumbline::detail
