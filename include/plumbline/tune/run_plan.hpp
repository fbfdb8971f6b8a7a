#pragma once
/// run(p, plan): a pipeline in the form that a plan names.

#include <plumbline/tune/forms.hpp>
#include <plumbline/tune/plan_options.hpp>

#include <concepts>
#include <utility>

namespace plumbline {

/// Runs p as a plan says, for example one that optimize made in another process. Refuses the plan of another pipeline,
/// and names the difference.
template <std::size_t Places = 3, pipeline P, std::same_as<plan> Plan>  // a type to deduce: {.threads = 2} is no plan
stream<typename P::element> run(const P& p, const Plan& how, run_options stated = {}) {
  check(how, layout(p));
  auto s = detail::forms<Places, P>::open(p, how.caches, options_of(how, std::move(stated)));
  s.record(false);
  return s;
}

}  // namespace plumbline
