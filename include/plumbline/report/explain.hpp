#pragma once
/// explain(p): describes a pipeline for people: every operator with what it yields, how many elements, in what order,
/// whether it is random, where it runs and why, and whether a cache may be put after it. Nothing is run.
///   std::cout << explain(train);

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/layout.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace plumbline {

struct explanation {
  std::vector<layout_row> rows;
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const explanation& e) { return out << e.text; }
};

/// The same for a pipeline's layout.
explanation explain(std::vector<layout_row> rows);
template <pipeline P> explanation explain(const P& p) { return explain(layout(p)); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/explain_inl.hpp>
#endif
