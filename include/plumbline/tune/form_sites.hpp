#pragma once
/// form_sites: which of the compiled cache sites a plan's caches are at. (forms.hpp compiles them.)

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/tune/cache_sites.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The sites that are compiled where no number of them is stated: the three nearest the root, and of the others those
/// that may keep a share, as these are all in one form; `most_default_sites` in all. Of more, the one farthest from the
/// root is among them: what is read there, such as files' bytes, is often smaller than what is made of it.
inline constexpr std::size_t default_sites = ~std::size_t{0}, most_default_sites = 8;
/// Those of the sites, nearest the root first, that are compiled.
template <std::size_t Sites, std::size_t All>
constexpr std::array<bool, All> compiled_of(const std::array<site, All>& sites) {
  std::array<bool, All> is{};
  std::size_t n = 0;
  const auto take = [&](std::size_t i) { n += std::exchange(is[i], true) ? 0 : 1; };
  const bool stated = Sites != default_sites;
  for (std::size_t i = 0; i != std::min(All, stated ? Sites : 3); ++i) take(i);
  if (stated) return is;
  for (auto i = All; i-- != 0;)
    if (sites[i].shares) {
      take(i);
      break;
    }
  for (std::size_t i = 0; i != All && n != most_default_sites; ++i)
    if (sites[i].shares) take(i);
  return is;
}
/// The numbers of the operators before these sites.
std::vector<std::uint32_t> all_of(std::span<const site> sites);
/// Those of the sites at which a cache may keep a share.
std::vector<std::uint32_t> shares_of(std::span<const site> sites);
/// The position of each of the plan's caches among `share_sites`; nullopt if one of them is at another place.
std::optional<std::vector<std::size_t>> places_of(const plan& by, const std::vector<std::uint32_t>& share_sites);
/// True if the plan's caches are at exactly these sites. `which`: a set of them, as bits.
bool names_exactly(const plan& by, std::span<const site> sites, std::size_t which);
/// Throws std::invalid_argument: no form that was compiled has the plan's caches.
[[noreturn]] void refuse_form(const plan& by);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/form_sites_inl.hpp>
#endif
