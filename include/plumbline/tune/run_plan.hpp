#pragma once
/// run(p, plan): runs a pipeline in the form that a plan names; run<tracing::timeline>(p, plan): and records it.

#include <plumbline/tune/forms.hpp>

#include <concepts>
#include <utility>

namespace plumbline {

/// Runs p according to a plan, for example one that optimize made in another process. Throws std::invalid_argument for
/// the plan of another pipeline, naming the difference.
template <std::size_t Sites = detail::default_sites, pipeline P,
          std::same_as<plan> Plan>  // deduced, so {.threads = 2} is not a plan
PLUMBLINE_CALLS_SETUP stream<typename P::element> run(const P& p, const Plan& how, run_options stated = {}) {
  check(how, layout(p));
  auto s = detail::forms<Sites, P>::open(p, how, std::move(stated));
  s.record(false);
  return s;
}

/// The same, and records what `Trace` says: run<tracing::timeline>(p, plan) shows where the time of a tuned run goes.
/// It compiles the forms once more.
template <class Trace, std::size_t Sites = detail::default_sites, pipeline P, std::same_as<plan> Plan>
PLUMBLINE_CALLS_SETUP stream<typename P::element> run(const P& p, const Plan& how, run_options stated = {}) {
  if constexpr (detail::has_its_header<Trace>()) {
    check(how, layout(p));
    return detail::forms<Sites, P, detail::in_memory, Trace>::open(p, how, std::move(stated));
  } else {
    detail::explain_header<Trace>();
  }
}

}  // namespace plumbline
