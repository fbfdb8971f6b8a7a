#pragma once
/// Definitions of exec/options.hpp.

#include <plumbline/exec/options.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE std::unique_ptr<read_limit> limit_of(const run_options& how, const std::atomic<bool>& stop) {
  if (!how.read_bytes_per_second) return nullptr;
  return std::make_unique<read_limit>(*how.read_bytes_per_second, read_burst(how), stop);
}

}  // namespace plumbline::detail
