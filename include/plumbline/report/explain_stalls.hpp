#pragma once
/// explain(stall_analysis): where the time of training goes, and what would change it.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/stalls.hpp>

#include <ostream>
#include <string>

namespace plumbline {

struct stall_explanation {
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const stall_explanation& e) { return out << e.text; }
};
stall_explanation explain(const stall_analysis& of);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_stalls_inl.hpp>
#endif
