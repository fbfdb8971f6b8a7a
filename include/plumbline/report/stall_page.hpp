#pragma once
/// page(stall_analysis): where the time of training goes and what would change it, as one HTML page that needs no
/// network: an epoch's time by the size of the cache, the rates F, P and G by the size of the cache, and an epoch's
/// time by the number of cores, with the knees beyond which more changes nothing (as figures 4, 11 and 5 of Mohan et
/// al., VLDB 2021); and the price list.
///   std::ofstream("stalls.html") << pl::page(pl::analyze(train, step));

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/price_list.hpp>
#include <plumbline/model/stalls.hpp>

#include <string>

namespace plumbline {

std::string page(const stall_analysis& of, const prices& each = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/stall_page_inl.hpp>
#endif
