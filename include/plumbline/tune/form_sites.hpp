#pragma once
/// form_sites: which of the compiled cache sites a plan's caches are at. (forms.hpp compiles them.)

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/tune/cache_sites.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline::detail {

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
