#pragma once
/// page(batch_log): where the time of batches goes, as one HTML page that needs no network: a strip for each batch with
/// its preparation, delay and the consumer's wait; box plots of these and of the operators' times; the worst batches
/// with their elements, and the slowest elements.
///   std::ofstream("batches.html") << pl::page(pl::read_lotus_logs(files));

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_report.hpp>

#include <string>

namespace plumbline {

/// Throws as report(of, how). Draws strips of at most 300 batches: those around the one with the longest preparation.
std::string page(const batch_log& of, const batch_report_options& how = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/batch_page_inl.hpp>
#endif
