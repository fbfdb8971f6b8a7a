#pragma once
/// Definitions of watch/contract.hpp.

#include <plumbline/watch/contract.hpp>

#include <cmath>

namespace plumbline::detail {

PLUMBLINE_INLINE void check(const requirement& of) {
  const auto complain = [](const std::string& what) { throw std::invalid_argument("plumbline: require: " + what); };
  if (!(of.at_least >= 0) || std::isinf(of.at_least))
    complain("at_least is " + std::to_string(of.at_least) + "; give elements per second");
  if (!(of.at_most_memory > 0)) complain("at_most_memory is " + std::to_string(of.at_most_memory) + "; give bytes");
  if (!(of.within > 0 && of.within < 1))
    complain("within is " + std::to_string(of.within) + "; give a share between 0 and 1");
  if (!(of.seconds >= 0.1 && of.seconds <= 3600))
    complain("seconds is " + std::to_string(of.seconds) + "; give 0.1 to 3600");
  if (of.at_least == 0 && std::isinf(of.at_most_memory) && of.baseline.empty())
    complain("nothing is required; give at_least, at_most_memory or a baseline");
}

}  // namespace plumbline::detail
