#pragma once
/// page(tuning): what optimize saw and concluded, as one HTML page that needs no network: the pipeline drawn with what
/// flows and where it runs, bars for what limits it, the cache ladder, the disk's curve, the forms that were tried.
///   std::ofstream("plan.html") << pl::page(tuned);

#include <plumbline/core/compiled.hpp>
#include <plumbline/report/explain_tuning.hpp>

#include <string>

namespace plumbline {

std::string page(const tuning& t);

/// Of what optimize or pick_best gave.
template <detail::has_tuning Tuned> std::string page(const Tuned& t) { return page(t.why()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/page_inl.hpp>
#endif
