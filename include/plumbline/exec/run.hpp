#pragma once
/// run(pipeline, options): a stream of its elements, made on oneTBB flow graphs.
///   for (auto& x : run(range(10) | shuffle(42) | batch<4>(), {.threads = 2})) std::cout << x << '\n';

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/owned.hpp>
#include <plumbline/exec/graph_runtime.hpp>
#include <plumbline/exec/inline_runtime.hpp>
#include <plumbline/exec/stream.hpp>
#include <plumbline/model/machine.hpp>

#include <string>
#include <vector>

namespace plumbline {

struct plan;  // see model/plan.hpp; tune/optimize.hpp has an overload of run for it

namespace detail {

/// The limit that the options state for each operator: the lowest, or 0 if there is none.
std::vector<std::size_t> stated_parallelism(const std::vector<operator_names>& names, const run_options& how);
/// The settings of a run, from the options, for a pipeline of these operators. Throws std::invalid_argument for invalid
/// options.
run_setting setting_of(const std::vector<operator_names>& names, run_options options);
template <class P> run_setting setting_of(const P& p, run_options options) {
  std::vector<operator_names> names;
  if (!options.parallelism.empty() || !options.on_io_threads.empty()) names = names_of(p);
  return setting_of(names, std::move(options));
}
/// Runs the pipeline on a flow graph, whatever the number of threads.
template <class Trace, class P> PLUMBLINE_SETUP auto run_on_graph(P p, run_setting env) {
  const auto first = env.options.first_epoch;
  return stream<typename P::element>(owned<runtime, graph_runtime<Trace, P>>(std::move(p), std::move(env)), first);
}
template <class Trace, class P> PLUMBLINE_SETUP auto run_with(P p, run_setting env) {
  using element = typename P::element;
  if (env.threads != 0) return run_on_graph<Trace>(std::move(p), std::move(env));
  const auto first = env.options.first_epoch;
  return stream<element>(owned<runtime, inline_runtime<Trace, P>>(std::move(p), std::move(env)), first);
}
template <class Trace, class P> PLUMBLINE_SETUP auto run_pipeline(P p, run_options options) {
  auto env = setting_of(p, std::move(options));
  return run_with<Trace>(std::move(p), std::move(env));
}

/// The result for a pipeline that was already rejected where it was built: avoids a second error.
stream<ill_formed::element> run_nothing();

/// For a trace that lacks its header: the error, with what to include.
template <class Trace> consteval void explain_header() {
  static_assert(!Trace::events, "plumbline: run<tracing::timeline> needs #include <plumbline/timeline.hpp>");
  static_assert(!Trace::frames, "plumbline: run<tracing::symbols> needs #include <plumbline/symbols.hpp>");
}
/// True if `run` can compile. If not, a static_assert says why, unless an error has been reported already.
template <class Trace, class P, class Options> consteval bool runs() {
  using given = std::remove_cvref_t<P>;
  constexpr bool is_options = std::convertible_to<Options, run_options>, is_operator = operation<given>;
  if constexpr (rejected<given>) {
    return false;
  } else if constexpr (!pipeline<given>) {
    static_assert(
        !is_operator,
        "plumbline: run got an operator, not a pipeline; begin with a source, for example run(elements(v) | map(f))");
    static_assert(
        is_operator,
        "plumbline: run got something that is not a pipeline; begin with a source, for example run(elements(v))");
    return false;
  } else if constexpr (!is_options) {
    static_assert(
        is_options,
        "plumbline: run(p, options) got something that is not run_options; set options by name in braces, for "
        "example run(p, {.threads = 4})");
    return false;
  } else if constexpr (!has_its_header<Trace>()) {
    explain_header<Trace>();
    return false;
  } else {
    constexpr bool can_be_had = std::constructible_from<given, P>;
    static_assert(can_be_had,
                  "plumbline: run(p) copies p, and a function or source in p cannot be copied (a lambda that holds a "
                  "unique_ptr?); move p, run(std::move(p)), or hold it in shared_ptr");
    return can_be_had;
  }
}

}  // namespace detail

/// Runs a pipeline. Returns a stream of its elements, made by `options.threads` threads (default: all cores that this
/// process may use), in the order of the plain serial evaluation, with bounded memory. Nothing is read or computed
/// before the first element is requested. Exceptions from user functions, sources and operators reach the consumer as
/// `failure`, after the elements before them. Throws std::invalid_argument for invalid options. `Options` is
/// run_options, given by name: run(p, {.threads = 4}). `Trace`: what the run records about itself, see
/// stream::traced(); by default nothing.
template <class Trace = tracing::off, class P, class Options = run_options>
  requires(!std::same_as<std::remove_cvref_t<Options>, plan>)
PLUMBLINE_CALLS_SETUP auto run(P&& p, Options&& options = {}) {
  if constexpr (detail::runs<Trace, P, Options>())
    return detail::run_pipeline<Trace, std::remove_cvref_t<P>>(std::forward<P>(p), std::forward<Options>(options));
  else
    return detail::run_nothing();
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/run_inl.hpp>
#endif
