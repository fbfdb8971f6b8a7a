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
#include <type_traits>
#include <vector>

#include "baselines/simulated_stream.hpp"
#include "live/enlarged_photos.hpp"
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

/// Bytes of the elements of a pipeline that exist, and the most since forget().
struct tally {
  std::atomic<std::int64_t> alive{0}, most{0};
  void count(std::int64_t bytes) {
    const auto now = alive += bytes;
    for (auto was = most.load(); was < now && !most.compare_exchange_weak(was, now);) {
    }
  }
  void forget() { most = alive.load(); }
};
template <class T> struct counted {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_copy_assignment = std::true_type;
  tally* by = nullptr;
  counted() = default;
  explicit counted(tally* to) : by(to) {}
  template <class U> counted(const counted<U>& other) : by(other.by) {}
  T* allocate(std::size_t n) {
    if (by != nullptr) by->count(static_cast<std::int64_t>(n * sizeof(T)));
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) {
    if (by != nullptr) by->count(-static_cast<std::int64_t>(n * sizeof(T)));
    ::operator delete(p);
  }
  friend bool operator==(const counted&, const counted&) = default;
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
/// Its elements are counted in `to`.
auto synthetic(conditions& now, tally& to) {
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
  const auto decode = [&now, &to](std::int64_t x) {
    const auto units = static_cast<std::size_t>(now.size.load());
    picture made(units * unit, counted<std::uint8_t>(&to));
    auto h = static_cast<std::uint64_t>(x);
    for (std::size_t i = 0; i != units * 150'000; ++i) h = pl::hash_combine(h, i);
    made[0] = static_cast<std::uint8_t>(h);
    return made;
  };
  const auto crop = [](const picture& x) {
    picture made(x.size(), x.get_allocator());
    auto h = std::uint64_t{x[0]};
    for (std::size_t i = 0; i != x.size() / 5; ++i) h = pl::hash_combine(h, x[i]);
    made[0] = static_cast<std::uint8_t>(h);
    return made;
  };
  return pl::range(std::int64_t{1} << 40) | pl::map(pl::blocking(read)) | pl::map(decode) | pl::map(crop);
}

/// Live from one message at a time, then `change`, which returns the budget of memory from then on (0: none), several
/// times; `undo` takes it back. The rate of live from exactly 2 s after it on, in the median; and the rates of the last
/// of these runs and of what optimize from nothing finds there, alternately, as the machine's speed changes. With a
/// budget, also the most bytes of elements: from the start to the change, in the 2 s after it, and from then on. `p`,
/// whose elements are counted in `own`, runs live; `q` is the same for optimize.
template <class P, class F, class G>
void after(bench::report& report, const bench::options& options, const std::string& name, const P& p, const P& q,
           tally* own, double memory, F&& change, G&& undo) {
  const double seconds = options.quick ? 3 : 6;
  pl::live_options how;
  how.run.threads = 2;
  if (memory > 0) how.memory = memory;
  const auto most = [&] {
    const auto bytes = own == nullptr ? 0.0 : static_cast<double>(own->most.load());
    if (own != nullptr) own->forget();
    return bytes;
  };
  std::optional<decltype(pl::run_live(p, one_at_a_time(p, 2), how))> run;
  bench::series from_2_s;
  double before = 0, meanwhile = 0, later = 0, budget = 0;
  for (std::size_t i = 0; i != options.rounds_or(5, 3); ++i) {
    if (i != 0) undo();
    run.reset();
    most();
    run.emplace(pl::run_live(p, one_at_a_time(p, 2), how));
    take_for(*run, 5);
    before = std::max(before, most());
    budget = change(*run);
    take_for(*run, 2);
    meanwhile = std::max(meanwhile, most());
    from_2_s.rounds.push_back(take_for(*run, seconds / 2));
    later = std::max(later, most());
  }
  auto& s = *run;
  auto tuned = pl::optimize(q, no_caches(2, budget));
  bench::series live, best;
  const auto take_best = [&] {
    take_for(tuned, seconds / 6);
    best.rounds.push_back(take_for(tuned, seconds / 2));
  };
  const auto take_live = [&] {
    take_for(s, seconds / 6);
    live.rounds.push_back(take_for(s, seconds / 2));
  };
  for (std::size_t i = 0; i != options.rounds_or(5, 3); ++i) {
    if (i % 2 == 0) take_best();
    take_live();
    if (i % 2 != 0) take_best();
  }
  report.table(name, "elements/s", 1,
               {{"optimize from nothing", best}, {"live", live}, {"live, from 2 s after it", from_2_s}});
  const auto relative = bench::ratio(live, best);
  std::cout << "  live / optimize, by round: lowest " << bench::fixed(relative.low(), 3) << ", median "
            << bench::fixed(relative.median(), 3) << ", highest " << bench::fixed(relative.high(), 3) << '\n';
  report.at_least(name + ": relative to optimize, median of the rounds", relative.median(), 0.95, 3);
  report.at_least(name + ": from 2 s after it, for " + bench::fixed(seconds / 2, 1) + " s, relative to optimize",
                  from_2_s.median() / best.median(), 0.95, 3);
  if (memory > 0) {
    report.at_most(name + ": most bytes before it, of the budget", before / memory, 1, 3);
    report.at_most(name + ": most bytes in the 2 s after it, of the larger budget",
                   meanwhile / std::max(memory, budget), 1, 3);
  }
  if (budget > 0)
    report.at_most(name + ": most bytes from 2 s after it on, of the budget", std::max(later, most()) / budget, 1, 3);
  std::cout << pl::explain(s);
}
/// The same with synthetic elements.
template <class F, class G>
void after(bench::report& report, const bench::options& options, const std::string& name, conditions& now,
           double memory, F&& change, G&& undo) {
  tally own, others;
  after(report, options, name, synthetic(now, own), synthetic(now, others), &own, memory, change, undo);
}

void photos_grow(bench::report& report, const bench::options& options) {
  const pl::file_list files(bench::photos(), {.ignore_case = true});
  const bench::enlarged_photos enlarged(files);
  std::atomic<bool> grown{false};
  const auto current = [&](const pl::file& f) { return grown ? enlarged.of(f.path) : f.path; };
  const auto p = pl::files(files) | pl::shuffle(1) | pl::map(current) | pl::read_file() | pl::map(pl::decode()) |
                 pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::random_flip()) | pl::batch<32>();
  after(
      report, options, "photos grow fourfold", p, p, nullptr, 0,
      [&](auto&) {
        grown = true;
        return 0.0;
      },
      [&] { grown = false; });
}

/// From one message at a time, with a limit of a third of the bytes that the pipeline reads without one. (A run's limit
/// is given when it starts, so it cannot appear while it runs.)
void limited(bench::report& report, const bench::options& options) {
  const double seconds = options.quick ? 1 : 2;
  const auto p = photo_batches();
  pl::run_options run{.threads = 2};
  {
    auto s = pl::run<pl::tracing::counters>(p, run);
    take_for(s, seconds);
    const auto t = s.traced();
    double read = 0;
    for (const auto& c : t.counters) read += static_cast<double>(c.bytes_read);
    run.read_bytes_per_second = read / t.wall_seconds / 3;
  }
  auto best = no_caches(2);
  best.run = run;
  auto tuned = pl::optimize(p, best);
  pl::live_options how;
  how.run = run;
  auto s = pl::run_live(p, one_at_a_time(p, 2), how);
  take_for(s, 3);
  const auto t = bench::in_turns({[&] { return take_for(tuned, seconds); }, [&] { return take_for(s, seconds); }},
                                 options.rounds_or(5, 3));
  const auto limit = bench::fixed(1e-6 * *run.read_bytes_per_second, 1) + " MB a second are read at most";
  report.table("photos, " + limit, "batches/s", 1, {{"optimize", t[0]}, {"live, from 3 s on", t[1]}});
  report.quiet(t);
  report.at_least(limit + ": live relative to optimize", bench::ratio(t[1], t[0]).median(), 0.95, 3, &t);
  std::cout << pl::explain(s);
}

/// With caches: live, begun with optimize's result, against that result; then with half of the memory that the caches
/// held, which takes another form at an epoch's beginning, against what optimize finds with so much.
void with_caches(bench::report& report, const bench::options& options) {
  const double seconds = options.quick ? 1 : 2;
  const auto p = photo_batches();
  auto with = no_caches(2);
  with.caches = true;
  auto tuned = pl::optimize(p, with);
  pl::live_options how;
  how.run.threads = 2;
  auto s = pl::run_live(p, tuned, how);
  const auto compare = [&](const std::string& what, auto& best) {
    take_for(best, 3), take_for(s, 3);  // whole epochs, which fill the caches
    const auto t = bench::in_turns({[&] { return take_for(best, seconds); }, [&] { return take_for(s, seconds); }},
                                   options.rounds_or(5, 3));
    report.table("photos, " + what, "batches/s", 1, {{"optimize", t[0]}, {"live", t[1]}});
    report.quiet(t);
    report.at_least(what + ": live relative to optimize", bench::ratio(t[1], t[0]).median(), 0.95, 3, &t);
  };
  compare("with optimize's caches", tuned);
  with.memory = s.why().held / 2;
  s.memory(*with.memory);
  auto smaller = pl::optimize(p, with);
  compare("with half of the memory that its caches held", smaller);
  const auto now = s.why();
  report.at_most("bytes of caches and in flight, of that memory", (now.held + now.in_flight) / *with.memory, 1, 3);
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
      report.at_most(c.name + ", " + std::to_string(cores) + " cores: lost relative to AUTOTUNE's hill climb",
                     live.lost / std::max(model.lost, 1e-9), 1, 3);
    }
}

}  // namespace

int main(int argc, char** argv) {
  bench::options options;
  CLI::App app("Do plans that follow the run find what optimize finds, and at what cost?");
  bench::add_options(app, options);
  std::string only;
  app.add_option("--only", only,
                 "one of: start, cost, caches, photos, grow, reads, bandwidth, limit, core, memory, steady, simulator");
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
    take_for(s, 3);
    const auto t = bench::in_turns({[&] { return take_for(tuned, seconds); }, [&] { return take_for(s, seconds); }},
                                   options.rounds_or(5, 3));
    report.table("photos, from one message at a time in each part", "batches/s", 1,
                 {{"optimize", t[0]}, {"live, from 3 s on", t[1]}});
    report.quiet(t);
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
  if (wanted("caches")) with_caches(report, options);
  if (wanted("photos")) photos_grow(report, options);
  if (wanted("grow")) {
    conditions now;
    constexpr double budget = 64 * 150'000.0;
    after(
        report, options, "pictures grow fourfold", now, budget,
        [&](auto&) {
          now.size = 4;
          return budget;
        },
        [&] { now.size = 1; });
  }
  if (wanted("reads")) {
    conditions now;
    after(
        report, options, "a read takes 20 ms", now, 0,
        [&](auto&) {
          now.read_us = 20'000;
          return 0.0;
        },
        [&] { now.read_us = 0; });
  }
  if (wanted("bandwidth")) {
    conditions now;
    after(
        report, options, "100 reads a second at most", now, 0,
        [&](auto&) {
          now.bandwidth = 100;
          return 0.0;
        },
        [&] { now.bandwidth = 0; });
  }
  if (wanted("limit")) limited(report, options);
  if (wanted("core")) {
    conditions now;
    std::optional<bench::busy_process> other;
    after(
        report, options, "another process takes a core", now, 0,
        [&](auto&) {
          other.emplace(1, 0);
          return 0.0;
        },
        [&] { other.reset(); });
  }
  if (wanted("memory")) {
    conditions now;
    constexpr double budget = 16 * 150'000.0;
    after(
        report, options, "the memory budget halves", now, budget,
        [&](auto& s) {
          s.memory(budget / 2);
          return budget / 2;
        },
        [&] {});
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
