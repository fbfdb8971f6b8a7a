#pragma once
/// Definitions of exec/run_setting.hpp.

#include <plumbline/exec/run_setting.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE run_setting::run_setting() = default;
PLUMBLINE_INLINE run_setting::run_setting(run_setting&&) noexcept = default;
PLUMBLINE_INLINE run_setting::~run_setting() = default;
PLUMBLINE_INLINE std::size_t run_setting::at_once(const std::vector<std::uint32_t>& operators) const {
  std::size_t least = 0;
  for (const auto id : operators)
    if (const auto n = stated.empty() ? 0 : stated[id - 1]; n != 0 && (least == 0 || n < least)) least = n;
  return least;
}

PLUMBLINE_INLINE bool run_setting::on_io_threads(const std::vector<std::uint32_t>& operators) const {
  return !waits.empty() && std::any_of(operators.begin(), operators.end(), [&](auto id) { return waits[id - 1]; });
}

}  // namespace plumbline::detail
