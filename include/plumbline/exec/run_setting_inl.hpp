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

PLUMBLINE_INLINE built_part built(std::span<const part> parts, std::uint32_t number,
                                  std::vector<std::uint32_t> operators) {
  std::sort(operators.begin(), operators.end());  // one that works at several places of it is named once
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  return {number, parts[number].serial, parts[number].blocks, std::move(operators)};
}

}  // namespace plumbline::detail
