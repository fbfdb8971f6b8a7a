#pragma once
/// Definitions of exec/operator_list.hpp.

#include <plumbline/exec/operator_list.hpp>

#include <cstdlib>
#include <fstream>

namespace plumbline::detail {

PLUMBLINE_INLINE void list_operators_for_profilers(const std::vector<layout_row>& rows) {
  const char* name = std::getenv("PLUMBLINE_OPERATORS");
  if (name == nullptr || *name == '\0') return;
  std::ofstream to(name, std::ios::app);
  for (const auto& row : rows)
    to << row.number << '\t' << row.stage << '\t' << (row.blocking ? 1 : 0) << '\t' << row.name << '\n';
  to << '\n';
}

}  // namespace plumbline::detail
