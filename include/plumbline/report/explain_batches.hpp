#pragma once
/// explain(batch_report): where the time of batches goes, as text.
///   std::cout << pl::explain(pl::report(pl::read_lotus_logs(files)));

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_report.hpp>

#include <ostream>
#include <string>

namespace plumbline {

struct batches_explanation {
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const batches_explanation& e) { return out << e.text; }
};
batches_explanation explain(const batch_report& of);

/// The batches as a table with a header, one line each, in order: epoch, index, worker, the times in ns, and
/// preparation, wait and delay in seconds. Cells with a comma, a quote or a line end are quoted (RFC 4180).
std::string write_csv(const batch_log& of);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_batches_inl.hpp>
#endif
