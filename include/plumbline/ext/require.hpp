#pragma once
/// require(p, {...}): fails a program's test when its pipeline has become slower, or takes more memory, and says which
/// operator it is. The baseline is kept as JSON, by nlohmann-json (target plumbline::json).
///   TEST_CASE("the loader keeps its rate") { pl::require(loader(), {.baseline = "tests/loader.json"}); }
///
/// Absolute rates hold on one machine when nothing else runs there. So a baseline has ratios to a calibration loop that
/// runs alternately with the pipeline, in several rounds; see docs/watching.md.

#include <plumbline/exec/run.hpp>
#include <plumbline/ext/json.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/watch/contract_judge.hpp>

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {
inline bool writes_baselines(const requirement& of) {
  const char* set = std::getenv("PLUMBLINE_WRITE_BASELINES");
  return !of.baseline.empty() && (of.write || (set != nullptr && *set != '\0' && std::string_view(set) != "0"));
}
inline rate_baseline baseline_for(const requirement& of, const std::vector<layout_row>& rows, std::size_t threads) {
  if (!std::ifstream(of.baseline))
    throw baseline_missing(
        "plumbline: require: there is no baseline " + of.baseline +
        "; write it with .write = true, or run the test once with PLUMBLINE_WRITE_BASELINES=1 in the "
        "environment, and keep the file with the test");
  auto b = load<rate_baseline>(of.baseline);
  check(b, of.baseline);
  check_same(b, rows, threads, of.baseline);
  return b;
}
}  // namespace detail

/// Runs p for about of.seconds, alternately with a calibration loop, and returns what was measured. Throws
/// requirement_broken, with an account of what became slower, if p is slower than required (with 95 % confidence) or
/// took more memory; what the pipeline throws; and before anything runs, baseline_missing if there is no baseline, and
/// std::invalid_argument for options that make no sense and for a baseline of another pipeline or number of threads, or
/// without ratios above 0. If the baseline is to be written, it is not compared with; the other requirements hold all
/// the same.
template <class P>
  requires pipeline<std::remove_cvref_t<P>> requirement_report require(P&& p, requirement of) {
    detail::check(of);
    const bool writes = detail::writes_baselines(of);
    const auto threads = of.run.threads.value_or(machine::cores_here());
    std::optional<rate_baseline> before;
    if (!of.baseline.empty() && !writes) before = detail::baseline_for(of, layout(p), threads);
    const auto* known = before ? &*before : nullptr;
    const double memory = detail::memory_in_use();
    auto s = run<tracing::counters>(std::forward<P>(p), of.run);
    const auto seen = detail::measure({[&] { return s.next().has_value(); }, [&] { s.restart(); },
                                       [&] { return s.traced(); }, [&] { return s.stats(); }, threads},
                                      of, known, memory);
    s.stop();
    auto r = detail::judge(seen, of, known);
    if (!r.met) throw requirement_broken(std::move(r));
    if (writes) {
      save(seen.now, of.baseline);
      r.text += of.baseline + " was written\n";
    }
    return r;
  }

}  // namespace plumbline
