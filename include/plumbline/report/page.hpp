#pragma once
/// page(tuning): what optimize observed and concluded, as one HTML page that needs no network: a drawing of the
/// pipeline with element types and where it runs, bars for its limits, the cache ladder, the disk's curve, the forms
/// tried.
///   std::ofstream("plan.html") << pl::page(tuned);

#include <plumbline/core/compiled.hpp>
#include <plumbline/report/explain_tuning.hpp>

#include <string>

namespace plumbline {

std::string page(const tuning& t);

/// The same for a result of optimize or pick_best.
template <detail::has_tuning Tuned> std::string page(const Tuned& t) { return page(t.why()); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/page_inl.hpp>
#endif
