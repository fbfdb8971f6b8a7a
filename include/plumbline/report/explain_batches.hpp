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

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_batches_inl.hpp>
#endif
