#pragma once
/// forms: what of a pipeline is compiled beside the pipeline as written, and what its type says about running it again.

#include <plumbline/exec/run.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/tune/cache_sites.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The forms of a pipeline that are compiled: as written, and with a cache at one of the last `Places` sites.
template <std::size_t Places, class P> struct forms {
  static constexpr auto all = cache_sites<P>();
  static constexpr std::size_t first = all.size() > Places ? all.size() - Places : 0;

  static std::vector<std::uint32_t> sites() { return {all.begin() + first, all.end()}; }
  /// `after` 0: as written.
  static stream<typename P::element> open(const P& p, std::uint32_t after, const run_options& how) {
    std::optional<stream<typename P::element>> made;
    const auto run_it = [&](const auto& form) {
      auto env = setting_of(form, how);
      env.threads = std::max<std::size_t>(env.threads, 1);
      made.emplace(run_on_graph<tracing::counters>(form, std::move(env)));
    };
    if (after == 0) run_it(p);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((all[first + I] == after ? run_it(with_cache<all[first + I]>(p)) : void()), ...);
    }
    (std::make_index_sequence<all.size() - first>{});
    if (!made)
      throw std::invalid_argument("plumbline: plan: a cache after operator " + std::to_string(after) +
                                  " is not among the forms that were compiled; optimize<Places>(p) compiles more");
    return std::move(*made);
  }
};

/// Is there a source that another stream of the pipeline would find empty? (A cache is of one stream.)
template <class P> inline constexpr bool consumes_a_source = false;
template <class Op, class... Ups>
inline constexpr bool consumes_a_source<node<Op, Ups...>> = node<Op, Ups...>::type_facts.one_pass ||
                                                            (consumes_a_source<Ups> || ...);

/// Does an operator of the pipeline as written keep elements for later epochs?
template <class P> inline constexpr bool keeps_elements = false;
template <class Op, class... Ups>
inline constexpr bool keeps_elements<node<Op, Ups...>> = replays<Op> || (keeps_elements<Ups> || ...);
/// The same of what runs by a plan.
template <class P> bool keeps_elements_by(const plan& p) { return keeps_elements<P> || !p.caches.empty(); }

}  // namespace plumbline::detail
