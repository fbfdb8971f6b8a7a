#pragma once
// Decisions of optimize from given traces and rates, so that nothing depends on how fast this machine is.
#include <support/op_laws.hpp>

#include <plumbline/tune.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace plumbline_test {

/// The trace of a run of p, if an element of operator i takes each[i - 1] seconds: the counts are those of a whole
/// epoch, and the times follow from them. With `full`: of a later epoch, when caches are full.
template <class P> pl::trace trace_of(const P& p, const std::vector<double>& each, bool full = false) {
  constexpr std::size_t threads = 2;
  constexpr double handing_over = 1e-7;  // per message
  auto s = pl::run<pl::tracing::counters>(p, with(threads, {}, 11));
  if (full) {
    s.record(false);
    drained(s);
    s.record(true);
    s.restart();
  }
  while (s.next()) {
  }
  s.stop();
  auto t = s.traced();
  REQUIRE(each.size() == t.operators.size());
  for (std::size_t i = 0; i != each.size(); ++i)
    t.counters[i].cpu_seconds = t.counters[i].wall_seconds = each[i] * static_cast<double>(t.counters[i].completions);
  std::vector<bool> counted(each.size());
  t.wall_seconds = t.consumer_seconds = t.consumer_wait_seconds = 0;
  for (auto& part : t.parts) {
    part.messages = 0;
    part.queued_seconds = 0;
    for (const auto n : part.operators) part.messages = std::max(part.messages, t.counters[n - 1].completions);
    part.cpu_seconds = part.overhead_seconds = handing_over * static_cast<double>(part.messages);
    for (const auto n : part.operators) {  // an operator in two parts is counted in the first
      if (!counted[n - 1]) part.cpu_seconds += t.counters[n - 1].cpu_seconds;
      counted[n - 1] = true;
    }
    part.wall_seconds = part.cpu_seconds;
    t.wall_seconds += part.cpu_seconds / threads;
  }
  return t;
}

/// p with a cache after operator `At`, as a plan puts it there.
template <std::uint32_t At, class P> auto as_planned(const P& p) { return pl::detail::cached<At, 0, pl::added>(p); }

/// Trials with given results, in this order, and a simulated clock.
struct written_trials : pl::detail::trials {
  std::vector<std::uint32_t> sites{}, shares{}, stored{};
  pl::cache_disk disk{};
  std::deque<run> traces{};
  std::deque<double> rates{};
  std::vector<std::string> lines{};  // progress of the decision
  double now = 0;

  void will_run(double rate, pl::trace seen, std::uint64_t count = 1000) {
    traces.push_back({{.rate = rate, .count = count}, std::move(seen)});
  }
  run traced(const pl::plan*, double seconds) override {
    REQUIRE(!traces.empty());
    run one = std::move(traces.front());
    traces.pop_front();
    now += one.how_fast.seconds = seconds;
    return one;
  }
  pl::detail::observed_rate again(const pl::plan*, double seconds) override {
    REQUIRE(!rates.empty());
    const double rate = rates.front();
    rates.pop_front();
    now += seconds;
    return {.rate = rate, .seconds = seconds, .count = 1000};
  }
  std::vector<std::uint32_t> cache_sites() const override { return sites; }
  std::vector<std::uint32_t> share_sites() const override { return shares; }
  std::vector<std::uint32_t> disk_sites() const override { return stored; }
  pl::cache_disk disk_for_caches(const pl::trace&) override { return disk; }
  double passed() override { return now; }

  pl::tuning decide(pl::optimize_options o) {
    o.progress = [this](const std::string& line) { lines.push_back(line); };
    return *pl::detail::decide(*this, o);
  }
};
template <std::size_t Sites = pl::detail::default_sites, class P> written_trials trials_of(const P&) {
  written_trials t;
  t.sites = pl::detail::forms<Sites, P>::sites();
  t.shares = pl::detail::forms<Sites, P>::share_sites();
  return t;
}

/// Options for two threads on a machine with two cores and 1 GB.
inline pl::optimize_options two_cores() {
  pl::optimize_options o;
  o.run = with(2, {}, 11);
  o.on.cores = 2;
  o.memory = 1e9;
  o.progress = [](const std::string&) {};
  return o;
}
/// The plan from the pipeline as written, if an element of operator i takes each[i - 1] seconds.
template <std::size_t Sites = pl::detail::default_sites, class P>
pl::tuning planned(const P& p, const std::vector<double>& each, pl::optimize_options o = two_cores()) {
  auto t = trials_of<Sites>(p);
  t.will_run(1, trace_of(p, each));
  o.passes = 1;
  return t.decide(std::move(o));
}

/// The index of the fastest pipeline that pick_best compared; of equals, the first.
inline std::size_t fastest(const pl::tuning& why) {
  std::size_t best = 0;
  const auto rate = [&](std::size_t i) { return why.alternatives[i].observed; };
  for (std::size_t i = 1; i != why.alternatives.size(); ++i) best = rate(i) > rate(best) ? i : best;
  return best;
}

}  // namespace plumbline_test
