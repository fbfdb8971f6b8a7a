// bench_live: run_live against optimize: from one message at a time, after changes while it runs, under steady load;
// what it costs on photos; and its decisions against tf.data's AUTOTUNE and one step at a time, in the simulator.
#include <plumbline/image.hpp>
#include <plumbline/live.hpp>
#include <plumbline/tune.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "baselines/simulated_stream.hpp"
#include "support/busy_process.hpp"
#include "support/inputs.hpp"
#include "support/report.hpp"
#include "support/stream_rate.hpp"

namespace {

namespace pl = plumbline;
using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

/// Takes elements for so long; returns how many a second.
template <class T> double take_for(pl::stream<T>& s, double seconds) {
  const auto begin = clock_type::now();
  double n = 0;
  while (since(begin) < seconds) s.next() ? void(++n) : s.restart();
  return n / since(begin);
}
auto photo_batches() {
  return pl::files(bench::photos(), {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
         pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::random_flip()) |
         pl::map(pl::normalize({0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F})) | pl::map(pl::to_planar()) |
         pl::batch<32>();
}
template <class P> pl::plan one_at_a_time(const P& p, std::size_t threads) {
  pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = threads};
  const auto s = pl::run(p, {.threads = threads});
  for (const auto& part : s.parts()) by.parts.push_back({.operators = part.operators, .serial = part.serial});
  return by;
}
pl::optimize_options no_caches(std::size_t threads, double memory = 0) {
  pl::optimize_options o;
  o.run.threads = threads;
  o.caches = false;
  o.progress = [](const std::string&) {};
  if (memory > 0) o.memory = memory;
  return o;
}

/// Bytes of all elements that exist.
std::atomic<std::int64_t> alive{0}, most_alive{0};
void count(std::int64_t bytes) {
  const auto now = alive += bytes;
  for (auto most = most_alive.load(); most < now && !most_alive.compare_exchange_weak(most, now);) {
  }
}
template <class T> struct counted {
  using value_type = T;
  counted() = default;
  template <class U> counted(const counted<U>&) {}
  T* allocate(std::size_t n) {
    count(static_cast<std::int64_t>(n * sizeof(T)));
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) {
    count(-static_cast<std::int64_t>(n * sizeof(T)));
    ::operator delete(p);
  }
  friend bool operator==(const counted&, const counted&) { return true; }
};
using picture = std::vector<std::uint8_t, counted<std::uint8_t>>;

}  // namespace

template <> struct plumbline::heap_bytes<picture> {
  static std::size_t of(const picture& x) noexcept { return x.capacity(); }
};

namespace {

/// What the elements are like, which changes while the pipeline runs.
struct conditions {
  std::atomic<int> size{1};              ///< of a picture, and its work, in units
  std::atomic<int> read_us{0};           ///< latency of a read
  std::atomic<double> bandwidth{0};      ///< reads a second, of all threads together; 0: no limit
  std::atomic<std::int64_t> free_at{0};  ///< ns
};
auto synthetic(conditions& now) {
  constexpr std::size_t unit = 150'000;
  const auto read = [&now](std::int64_t x) {
    if (const auto us = now.read_us.load(); us != 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
    if (const double most = now.bandwidth.load(); most > 0) {
      const auto each = static_cast<std::int64_t>(1e9 / most);
      const auto at =
          std::chrono::duration_cast<std::chrono::nanoseconds>(clock_type::now().time_since_epoch()).count();
      auto slot = now.free_at.load();
      while (!now.free_at.compare_exchange_weak(slot, std::max(slot, at) + each)) {
      }
      std::this_thread::sleep_until(clock_type::time_point(std::chrono::nanoseconds(std::max(slot, at) + each)));
    }
    return x;
  };
  const auto decode = [&now](std::int64_t x) {
    const auto units = static_cast<std::size_t>(now.size.load());
    picture made(units * unit);
    auto h = static_cast<std::uint64_t>(x);
    for (std::size_t i = 0; i != units * 150'000; ++i) h = pl::hash_combine(h, i);
    made[0] = static_cast<std::uint8_t>(h);
    return made;
  };
  const auto crop = [](const picture& x) {
    picture made(x.size());
    auto h = std::uint64_t{x[0]};
    for (std::size_t i = 0; i != x.size() / 5; ++i) h = pl::hash_combine(h, x[i]);
    made[0] = static_cast<std::uint8_t>(h);
    return made;
  };
  return pl::range(std::int64_t{1} << 40) | pl::map(pl::blocking(read)) | pl::map(decode) | pl::map(crop);
}

/// After `change`: the rate from 2 s on, beside what optimize from nothing finds there.
template <class P, class F>
void after(bench::report& report, const std::string& name, const P& p, double seconds, double memory, F&& change) {
  pl::live_options how;
  how.run.threads = 2;
  if (memory > 0) how.memory = memory;
  auto s = pl::run_live(p, one_at_a_time(p, 2), how);
  take_for(s, 3);
  const double budget = change(s);
  take_for(s, 2);
  most_alive = alive.load();
  // turn by turn, as the machine's speed changes
  auto tuned = pl::optimize(p, no_caches(2, budget));
  bench::series live, best;
  double most = 0;
  for (int i = 0; i != 3; ++i) {
    take_for(tuned, seconds / 6);
    best.rounds.push_back(take_for(tuned, seconds / 2));
    const auto others = alive.load();
    take_for(s, seconds / 6);
    most_alive = alive.load();
    live.rounds.push_back(take_for(s, seconds / 2));
    static_cast<void>(others);
    most = std::max(most, static_cast<double>(most_alive));
  }
  report.table(name, "elements/s", 1, {{"optimize from nothing", best}, {"live, from 2 s on", live}});
  report.at_least(name + ": relative to optimize", bench::ratio(live, best).median(), 0.95, 3);
  std::cout << pl::explain(s);
}

void simulate(bench::report& report) {
  struct chain {
    std::string name;
    std::vector<baselines::simulated_operator> of;
  };
  const std::vector<chain> chains{
      {"photos", {{"decode", 0.16}, {"crop", 0.02}, {"flip", 0.002}, {"normalise", 0.01}, {"batch", 0.002, true}}},
      {"one part of 95 %", {{"map", 0.95}, {"second map", 0.01}, {"batch", 0.002, true}}},
      {"five alike", {{"a", 0.1}, {"b", 0.1}, {"c", 0.1}, {"d", 0.1}, {"e", 0.1}}}};
  for (const auto& c : chains)
    for (const std::size_t cores : {16U, 32U, 64U, 96U}) {
      const auto n = static_cast<double>(cores);
      baselines::simulated_stream all(c.of, cores);
      for (std::size_t i = 0; i != c.of.size(); ++i) all.limit(i, cores);
      all.run(5);
      const auto t = all.run(20);
      const double best = static_cast<double>(t.counters.back().completions) / t.wall_seconds;
      const auto by = [&](const baselines::limit_setter& setter, double first) {
        baselines::simulated_stream s(c.of, cores);
        return baselines::tune_in_simulation(s, setter, first, best, 120);
      };
      const auto live = by(baselines::set_by_live(n), 0.05), model = by(baselines::set_by_autotune(n), 0.01),
                 steps = by(baselines::set_by_steps(n), 0.5);
      const auto line = [](const std::string& who, const baselines::tuned_simulation& r) {
        std::cout << "  " << who << ": " << (r.reached ? "" : "NOT reached; ") << r.steps << " steps, "
                  << bench::fixed(r.seconds, 2) << " s, lost " << bench::fixed(r.lost, 2) << " s; " << r.late_changes
                  << " changes after 10 s\n";
      };
      std::cout << c.name << ", " << cores << " cores, best " << bench::fixed(best, 1) << " a second\n";
      line("live                  ", live);
      line("AUTOTUNE's hill climb ", model);
      line("one step at each look ", steps);
      report.record(c.name + ", " + std::to_string(cores), {{"live", {live.steps, live.seconds, live.lost}},
                                                            {"autotune", {model.steps, model.seconds, model.lost}},
                                                            {"steps", {steps.steps, steps.seconds, steps.lost}}});
      report.at_most(c.name + ", " + std::to_string(cores) + " cores: lost relative to one step at each look",
                     live.lost / std::max(steps.lost, 1e-9), 1, 3);
    }
}

}  // namespace

int main(int argc, char** argv) {
  bench::options options;
  CLI::App app("Do plans that follow the run find what optimize finds, and at what cost?");
  bench::add_options(app, options);
  std::string only;
  app.add_option("--only", only, "one of: start, cost, grow, reads, bandwidth, core, memory, steady, simulator");
  double steady = 60;
  app.add_option("--steady", steady, "seconds of steady load (60)");
  CLI11_PARSE(app, argc, argv);
  bench::report report("Do plans that follow the run find what optimize finds, and at what cost?", options);
  const auto wanted = [&](const std::string& what) { return only.empty() || only == what; };
  const double seconds = options.quick ? 1 : 2;
  if (wanted("simulator")) simulate(report);
  if (wanted("start")) {
    const auto p = photo_batches();
    auto tuned = pl::optimize(p, no_caches(2));
    pl::live_options how;
    how.run.threads = 2;
    auto s = pl::run_live(p, one_at_a_time(p, 2), how);
    const double first = take_for(s, 0.05);
    take_for(s, 2.95);
    const auto t = bench::in_turns({[&] { return take_for(tuned, seconds); }, [&] { return take_for(s, seconds); }},
                                   options.rounds_or(5, 3));
    report.table("photos, from one message at a time in each part", "batches/s", 1,
                 {{"optimize", t[0]}, {"live, from 3 s on", t[1]}});
    report.quiet(t);
    static_cast<void>(first);
    report.at_least("start: live relative to optimize", bench::ratio(t[1], t[0]).median(), 0.95, 3, &t);
    std::cout << pl::explain(s);
  }
  if (wanted("cost")) {
    const auto p = photo_batches();
    auto plain = pl::run(p, {.threads = 2});
    pl::live_options how;
    how.run.threads = 2;
    auto s = pl::run_live(p, how);
    take_for(s, 2);
    const auto t = bench::in_turns({[&] { return take_for(plain, seconds); }, [&] { return take_for(s, seconds); }},
                                   options.rounds_or(9, 3));
    report.table("photos, cost", "batches/s", 2, {{"run", t[0]}, {"run_live", t[1]}});
    report.quiet(t);
    report.at_most("cost of live on photos, %", 100 * (1 - bench::ratio(t[1], t[0]).median()), 1, 2, &t);
  }
  if (wanted("grow")) {
    conditions now;
    after(report, "pictures grow fourfold", synthetic(now), 3 * seconds, 0, [&](auto&) {
      now.size = 4;
      return 0.0;
    });
  }
  if (wanted("reads")) {
    conditions now;
    after(report, "a read takes 20 ms", synthetic(now), 3 * seconds, 0, [&](auto&) {
      now.read_us = 20'000;
      return 0.0;
    });
  }
  if (wanted("bandwidth")) {
    conditions now;
    after(report, "100 reads a second at most", synthetic(now), 3 * seconds, 0, [&](auto&) {
      now.bandwidth = 100;
      return 0.0;
    });
  }
  if (wanted("core")) {
    conditions now;
    std::optional<bench::busy_process> other;
    after(report, "another process takes a core", synthetic(now), 3 * seconds, 0, [&](auto&) {
      other.emplace(1, 0);
      return 0.0;
    });
  }
  if (wanted("memory")) {
    conditions now;
    const auto p = synthetic(now);
    constexpr double budget = 16 * 150'000.0;
    pl::live_options how;
    how.run.threads = 2;
    how.memory = budget;
    auto s = pl::run_live(p, how);
    take_for(s, 2);
    most_alive = alive.load();
    take_for(s, 2);
    const double before = static_cast<double>(most_alive);
    s.memory(budget / 2);
    take_for(s, 2);
    most_alive = alive.load();
    bench::series live, best;
    for (int i = 0; i != 3; ++i) live.rounds.push_back(take_for(s, seconds));
    const double held = static_cast<double>(most_alive);
    s.stop();
    auto tuned = pl::optimize(p, no_caches(2, budget / 2));
    for (int i = 0; i != 3; ++i) best.rounds.push_back(take_for(tuned, seconds));
    report.table("the memory budget halves", "elements/s", 1, {{"optimize from nothing", best}, {"live", live}});
    report.at_least("the memory budget halves: relative to optimize", live.median() / best.median(), 0.95, 3);
    report.at_most("most bytes before it, of the budget", before / budget, 1, 3);
    report.at_most("most bytes from 2 s after it on, of the budget", held / (budget / 2), 1, 3);
    std::cout << pl::explain(s);
  }
  if (wanted("steady")) {
    const auto p = photo_batches();
    pl::live_options how;
    how.run.threads = 2;
    auto s = pl::run_live(p, one_at_a_time(p, 2), how);
    take_for(s, 10);
    const auto before = s.why().count;
    take_for(s, steady - 10);
    report.at_most("changes under steady load, from 10 s to " + bench::fixed(steady, 0) + " s",
                   static_cast<double>(s.why().count - before), 1, 0);
    std::cout << pl::explain(s);
  }
  report.finish();
  return 0;
}
