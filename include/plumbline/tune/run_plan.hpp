#pragma once
/// run(p, plan): runs a pipeline in the form that a plan names.

#include <plumbline/tune/forms.hpp>

#include <concepts>
#include <utility>

namespace plumbline {

/// Runs p according to a plan, for example one that optimize made in another process. Throws std::invalid_argument for
/// the plan of another pipeline, naming the difference.
template <std::size_t Sites = 3, pipeline P,
          std::same_as<plan> Plan>  // deduced, so {.threads = 2} is not a plan
PLUMBLINE_CALLS_SETUP stream<typename P::element> run(const P& p, const Plan& how, run_options stated = {}) {
  check(how, layout(p));
  auto s = detail::forms<Sites, P>::open(p, how, std::move(stated));
  s.record(false);
  return s;
}

}  // namespace plumbline
