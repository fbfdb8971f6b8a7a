#pragma once
/// run(pipeline, options): a stream of its elements, made on oneTBB flow graphs.

#include <plumbline/exec/graph_runtime.hpp>
#include <plumbline/exec/inline_runtime.hpp>
#include <plumbline/model/machine.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct plan;  // of model/plan.hpp: runs by an overload of its own, in tune/optimize.hpp

namespace detail {

inline void check_threads(const char* knob, std::size_t n, std::size_t most) {
  if (n > most)
    throw std::invalid_argument("plumbline: run: " + std::string(knob) + " is " + std::to_string(n) +
                                "; give at most " + std::to_string(most));
}

inline void check_read_limit(const run_options& how) {
  const auto check = [](const char* knob, double x, double least) {
    if (!(x >= least) || std::isinf(x))
      throw std::invalid_argument("plumbline: run: " + std::string(knob) + " is " + std::to_string(x) +
                                  "; leave it out or give a finite number of at least " +
                                  std::to_string(static_cast<int>(least)));
  };
  check("read_bytes_per_second", how.read_bytes_per_second.value_or(1), 1);
  check("read_burst_bytes", how.read_burst_bytes.value_or(0), 0);
  if (how.read_burst_bytes && !how.read_bytes_per_second)
    throw std::invalid_argument(
        "plumbline: run: read_burst_bytes is stated without read_bytes_per_second, which it belongs to; state both");
}

/// The operators of a pipeline in explain()'s order: "1 files, 2 read_file".
template <class P> void list_operators(const P& p, std::vector<std::string_view>& out) {
  std::apply([&](const auto&... up) { (list_operators(up, out), ...); }, p.ups);
  out.push_back(P::op_type::name);
}
/// A knob for an operator that is not there would be a knob without effect. `names`: of the operators there are.
inline void check_parallelism(const std::vector<std::string_view>& names, const run_options& options) {
  for (const auto& [which, most] : options.parallelism) {
    const std::string what = "plumbline: run: parallelism of \"" + which + "\"";
    if (most == 0) throw std::invalid_argument(what + " is 0; leave it out or give at least 1");
    bool found = false;
    for (std::size_t i = 0; i != names.size(); ++i) found = found || means(which, names[i], i + 1);
    if (found) continue;
    std::string have;
    for (std::size_t i = 0; i != names.size(); ++i)
      have += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + std::string(names[i]);
    throw std::invalid_argument(what + ": this pipeline has no such operator; it has " + have);
  }
}

/// The options' word on each operator; nothing, if they have none. The lowest counts.
inline std::vector<std::size_t> stated_parallelism(const std::vector<std::string_view>& names, const run_options& how) {
  std::vector<std::size_t> stated(names.size());
  for (const auto& [which, most] : how.parallelism)
    for (std::size_t i = 0; i != names.size(); ++i)
      if (means(which, names[i], i + 1)) stated[i] = stated[i] == 0 ? most : std::min(stated[i], most);
  return stated;
}

inline run_setting setting_of(const std::vector<std::string_view>& names, run_options options) {
  if (options.chunk == std::size_t{0})
    throw std::invalid_argument("plumbline: run: chunk is 0; leave it out or give at least 1");
  if (options.io_threads == std::size_t{0})
    throw std::invalid_argument("plumbline: run: io_threads is 0; leave it out or give at least 1");
  if (options.prefetch == std::size_t{0})
    throw std::invalid_argument("plumbline: run: prefetch is 0; leave it out or give at least 1");
  check_threads("threads", options.threads.value_or(0), 1024);
  check_threads("io_threads", options.io_threads.value_or(0), 4096);
  check_read_limit(options);
  check_parallelism(names, options);
  run_setting env;
  env.threads = options.threads.value_or(machine::cores_here());
  env.io_threads = options.io_threads.value_or(std::max<std::size_t>(4, 2 * env.threads));
  env.seed = options.seed;
  env.stated = stated_parallelism(names, options);
  env.options = std::move(options);
  return env;
}
template <class P> run_setting setting_of(const P& p, run_options options) {
  std::vector<std::string_view> names;
  if (!options.parallelism.empty()) list_operators(p, names);
  return setting_of(names, std::move(options));
}
/// Runs it on a flow graph, whatever the number of threads.
template <class Trace, class P> auto run_on_graph(P p, run_setting env) {
  const auto first = env.options.first_epoch;
  return stream<typename P::element>(std::make_unique<graph_runtime<Trace, P>>(std::move(p), std::move(env)), first);
}
template <class Trace, class P> auto run_pipeline(P p, run_options options) {
  using element = typename P::element;
  auto env = setting_of(p, std::move(options));
  if (env.threads != 0) return run_on_graph<Trace>(std::move(p), std::move(env));
  const auto first = env.options.first_epoch;
  return stream<element>(std::make_unique<inline_runtime<Trace, P>>(std::move(p), std::move(env)), first);
}

/// What was rejected where it was built is not told again.
stream<ill_formed::element> run_nothing();

/// Can `run` go on? If not, the compiler says why, unless it has already.
template <class P, class Options> consteval bool runs() {
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
        "plumbline: run got something that is no pipeline; begin with a source, for example run(elements(v))");
    return false;
  } else if constexpr (!is_options) {
    static_assert(is_options,
                  "plumbline: run(p, options) got something that is no run_options; name what you set, in braces, for "
                  "example run(p, {.threads = 4})");
    return false;
  } else {
    constexpr bool can_be_had = std::constructible_from<given, P>;
    static_assert(can_be_had,
                  "plumbline: run(p) copies p, and a function or source in p cannot be copied (a lambda that holds a "
                  "unique_ptr?); hand p over, run(std::move(p)), or hold it in shared_ptr");
    return can_be_had;
  }
}

}  // namespace detail

/// Runs a pipeline: a stream of its elements, made by `options.threads` threads (all cores that this process may use,
/// if not said), in the order of the plain serial evaluation, with bounded memory. Nothing starts before the first
/// element is asked for. Errors: what user functions, sources and operators throw reaches the consumer as `failure`,
/// after the elements before it; std::invalid_argument for options that make no sense. `Options` is run_options, given
/// by name: run(p, {.threads = 4}). `Trace`: how much the run records of itself, see stream::traced(); nothing, if not
/// said.
template <class Trace = tracing::off, class P, class Options = run_options>
  requires(!std::same_as<std::remove_cvref_t<Options>, plan>)
auto run(P&& p, Options&& options = {}) {
  if constexpr (detail::runs<P, Options>())
    return detail::run_pipeline<Trace, std::remove_cvref_t<P>>(std::forward<P>(p), std::forward<Options>(options));
  else
    return detail::run_nothing();
}

}  // namespace plumbline
