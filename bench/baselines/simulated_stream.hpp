#pragma once
/// A stream in the simulator whose limits change while it runs, and who sets them: run_live's decisions, tf.data's
/// AUTOTUNE (its model and hill climbing, at its times), and Plumber's sequential tuning, one step at each look.

#include <plumbline/model/executor_model.hpp>
#include <plumbline/model/live.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autotune_caps.hpp"
#include "caps.hpp"

namespace baselines {

struct simulated_operator {
  std::string name;
  double seconds = 0;  ///< of a core, for an element of the stream
  bool serial = false;
};

/// A source of numbers, operators that are a part each, in one segment; the last may be serial, in a segment of its
/// own.
class simulated_stream {
 public:
  static constexpr double messages = 8;  ///< for each element of the stream
  simulated_stream(std::vector<simulated_operator> of, std::size_t cores, double variation = 0.2,
                   std::uint64_t seed = 1)
      : operators_(std::move(of)),
        simulation_{.segments = {}, .cores = cores, .variation = variation, .seed = seed},
        model_((build(), simulation_)) {}
  simulated_stream(const simulated_stream&) = delete;

  double now() const { return model_.processors().now(); }
  /// From now on operator i, from 0, takes so long.
  void cost(std::size_t i, double seconds) {
    operators_[i].seconds = seconds;
    part(i).seconds = seconds / simulation_.segments[at_[i].first].messages;
  }
  void limit(std::size_t i, std::size_t at_once) {
    if (!operators_[i].serial) part(i).parallelism = std::max<std::size_t>(at_once, 1);
  }
  pl::live_limits limits() const {
    pl::live_limits all{.threads = simulation_.cores};
    for (std::size_t i = 0; i != operators_.size(); ++i)
      all.parts.push_back({.operators = {static_cast<std::uint32_t>(i + 2)},
                           .serial = operators_[i].serial,
                           .stated = operators_[i].serial,
                           .at_once = simulation_.segments[at_[i].first].parts[at_[i].second].parallelism});
    return all;
  }
  /// Runs for so long, and returns what a traced run records meanwhile.
  pl::trace run(double seconds) {
    const double begin = now(), before = model_.taken();
    model_.processors().count();
    while (now() < begin + seconds && model_.step()) {
    }
    const double passed = now() - begin;
    const double each = simulation_.segments.back().messages, count = (model_.taken() - before) / each;
    const auto busy = passed > 0 ? model_.processors().busy() : std::vector<std::vector<double>>{};
    rest_ += count;
    const auto whole = static_cast<std::uint64_t>(rest_);
    rest_ -= static_cast<double>(whole);
    pl::trace t;
    t.wall_seconds = t.consumer_wait_seconds = passed;
    t.threads = simulation_.cores;
    t.epochs = 1;
    add(t, "numbers", {}, pl::form::source, whole);
    for (std::size_t i = 0; i != operators_.size(); ++i) {
      const auto id = add(t, operators_[i].name, {static_cast<std::uint32_t>(i + 1)}, pl::form::element, whole);
      t.operators.back().stage = static_cast<std::uint32_t>(i + 1);
      const double own = passed > 0 ? busy[at_[i].first][at_[i].second] * passed : 0;
      t.counters.back().cpu_seconds = t.counters.back().wall_seconds = own;
      t.parts.push_back({.number = id,
                         .operators = {id},
                         .serial = operators_[i].serial,
                         .messages = static_cast<std::uint64_t>(count * simulation_.segments[at_[i].first].messages),
                         .cpu_seconds = own,
                         .wall_seconds = own});
    }
    return t;
  }

 private:
  std::uint32_t add(pl::trace& t, const std::string& name, std::vector<std::uint32_t> inputs, pl::form how,
                    std::uint64_t count) const {
    pl::layout_row row{.number = static_cast<std::uint32_t>(t.operators.size() + 1), .name = name, .element = name};
    row.facts.count = pl::cardinality::forever();
    row.how = how;
    row.takes = inputs.empty() ? 0 : 1;
    row.inputs = std::move(inputs);
    t.operators.push_back(std::move(row));
    t.counters.push_back({.completions = count});
    return t.operators.back().number;
  }
  void build() {
    simulation_.segments.push_back(
        {.parts = {{}}, .credits = 2 * simulation_.cores + 2, .messages = messages});  // numbers cost nothing
    for (const auto& o : operators_) {
      const bool last = &o == &operators_.back();
      if (o.serial && last) simulation_.segments.push_back({.parts = {}, .credits = 4, .messages = 1, .inputs = {0}});
      auto& segment = simulation_.segments.back();
      at_.emplace_back(simulation_.segments.size() - 1, segment.parts.size());
      segment.parts.push_back({.seconds = o.seconds / segment.messages});
    }
  }
  pl::simulated_part& part(std::size_t i) { return simulation_.segments[at_[i].first].parts[at_[i].second]; }

  std::vector<simulated_operator> operators_;
  pl::simulation simulation_;
  std::vector<std::pair<std::size_t, std::size_t>> at_{};  ///< of each operator: its segment, and its part there
  pl::detail::executor_model model_;
  double rest_ = 0;
};

/// Who sets the limits. Is given what was recorded since the last call, and returns when it looks next, in seconds.
using limit_setter = std::function<double(simulated_stream&, const pl::trace& seen)>;

/// run_live's decisions, at its times.
inline limit_setter set_by_live(double cores, double every = 0.5) {
  struct memory {
    pl::live_state state{};
    pl::trace all{};
    std::size_t changes = 0;
    double next;
  };
  auto m = std::make_shared<memory>();
  m->next = every / 10;
  return [m, cores, every](simulated_stream& s, const pl::trace& seen) {
    if (m->all.counters.empty()) {
      m->all = seen;
    } else {  // the last window goes on
      for (std::size_t i = 0; i != seen.counters.size(); ++i) {
        m->all.counters[i].completions += seen.counters[i].completions;
        m->all.counters[i].cpu_seconds += seen.counters[i].cpu_seconds;
        m->all.counters[i].wall_seconds += seen.counters[i].wall_seconds;
      }
      for (std::size_t i = 0; i != seen.parts.size(); ++i) {
        m->all.parts[i].messages += seen.parts[i].messages;
        m->all.parts[i].cpu_seconds += seen.parts[i].cpu_seconds;
        m->all.parts[i].wall_seconds += seen.parts[i].wall_seconds;
      }
      m->all.wall_seconds += seen.wall_seconds;
      m->all.consumer_wait_seconds += seen.consumer_wait_seconds;
    }
    m->state.limits = s.limits();
    m->state.at = s.now();
    auto step = pl::decide_live(m->all, m->state, {.have = {.cores = cores}});
    m->state = std::move(step.next);
    if (step.enough) m->all = {};
    for (std::size_t i = 0; i != m->state.limits.parts.size(); ++i) s.limit(i, m->state.limits.parts[i].at_once);
    return std::exchange(m->next, std::min(2 * m->next, every));
  };
}
/// tf.data: each time its model finds all values anew; the first time after 10 ms, then after twice as long, at most a
/// minute.
inline limit_setter set_by_autotune(double cores) {
  auto next = std::make_shared<double>(0.01);
  return [next, cores](simulated_stream& s, const pl::trace& seen) {
    if (seen.counters.back().completions != 0) {
      auto m = autotune::model_of(seen, pl::rates(seen), cores);
      autotune::hill_climb(m, {.cores = cores});
      for (std::size_t i = 1; i != m.size(); ++i) s.limit(i - 1, static_cast<std::size_t>(m[i].at_once()));
    }
    *next = std::min(2 * *next, 60.0);
    return *next;
  };
}
/// One more for the part with the lowest rate of its own, at each look.
inline limit_setter set_by_steps(double cores, double every = 0.5) {
  return [cores, every](simulated_stream& s, const pl::trace& seen) {
    if (seen.counters.back().completions != 0) {
      const auto r = pl::rates(seen);
      const auto d = pl::demand_of(seen, r, pl::cache_sites(seen, r, pl::sizes(seen), 0));
      part_caps caps;
      for (const auto& p : s.limits().parts) caps.push_back(static_cast<double>(p.at_once));
      if (caps.size() == d.parts.size() && bottleneck_step(caps, d, {.cores = cores}))
        for (std::size_t i = 0; i != caps.size(); ++i) s.limit(i, static_cast<std::size_t>(caps[i]));
    }
    return every;
  };
}

struct tuned_simulation {
  double steps = 0;    ///< looks at which a limit changed, until 95 % of the best rate
  double lost = 0;     ///< seconds' worth of elements until then, at the best rate
  double seconds = 0;  ///< until then
  bool reached = false;
  std::size_t changes = 0, late_changes = 0;  ///< looks at which a limit changed; of them, 10 s after the beginning
};
/// Runs the stream for `seconds`, from one message at a time in each part. `best`: the rate that is the goal.
/// `at`: called with the time before each look.
inline tuned_simulation tune_in_simulation(simulated_stream& s, const limit_setter& by, double first, double best,
                                           double seconds, const std::function<void(double)>& at = {}) {
  tuned_simulation out;
  double next = first, elements = 0, window = 0, window_elements = 0;
  while (s.now() < seconds) {
    if (at) at(s.now());
    const auto seen = s.run(next);
    elements += static_cast<double>(seen.counters.back().completions);
    window += seen.wall_seconds;
    window_elements += static_cast<double>(seen.counters.back().completions);
    if (!out.reached && window_elements * 10 >= best) {  // a tenth of a second's worth, so that the rate is known
      if (window_elements / window >= 0.95 * best) {
        out.reached = true;
        out.seconds = s.now() - window;
        out.lost = std::max(0.0, out.seconds - (elements - window_elements) / best);
      }
      window = window_elements = 0;
    }
    const auto before = s.limits();
    next = by(s, seen);
    if (s.limits() == before) continue;
    if (!out.reached) ++out.steps, window = window_elements = 0;
    ++out.changes;
    if (s.now() > 10) ++out.late_changes;
  }
  if (!out.reached) out.seconds = s.now(), out.lost = std::max(0.0, out.seconds - elements / best);
  return out;
}

}  // namespace baselines
