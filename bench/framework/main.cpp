// bench_framework: the overhead of the library per element.
#include <range/v3/version.hpp>

#include "framework/question.hpp"
#include "framework/stages.hpp"
#include "support/report.hpp"

namespace {

using namespace framework;

/// Measures the contenders at one task alternately.
class comparison {
 public:
  /// Throws if the contenders do not return the same sum.
  comparison(const std::string& task, element n, std::size_t rounds) : task_(task), n_(n) {
    std::vector<std::function<double()>> contenders;
    bool first = true;
    std::uint64_t expected = 0;
    for (const auto& e : entries()) {
      if (e.task != task) continue;
      names_.push_back(e.who);
      contenders.push_back([&] {
        std::uint64_t got = 0;
        const double s = bench::seconds([&] { got = e.run(); });
        if (!std::exchange(first, false) && got != expected)
          throw std::runtime_error(e.who + " delivers a different sum than the contender before it at: " + task);
        expected = got;
        return s;
      });
    }
    turns_ = bench::in_turns(contenders, rounds);
  }
  /// Nanoseconds per element.
  bench::series of(const std::string& who) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == who) return turns_[i].as([&](double s) { return s * 1e9 / static_cast<double>(n_); });
    throw std::logic_error("no contender " + who);
  }
  const bench::turns& measured() const { return turns_; }
  void print(bench::report& to) const {
    std::vector<std::pair<std::string, bench::series>> rows;
    for (const auto& who : names_) rows.emplace_back(who, of(who));
    to.table(task_, "ns an element of the range", 2, rows);
    to.quiet(turns_);
  }

 private:
  std::string task_;
  element n_;
  std::vector<std::string> names_;
  bench::turns turns_;
};

/// The number of spins that take a microsecond on this machine.
std::uint64_t spins_a_microsecond() {
  now().spins = 1'000'000;
  double least = 1;
  for (int i = 0; i < 5; ++i) {
    least = std::min(least, bench::seconds([] {
                       volatile element made = work(1);
                       (void)made;
                     }));
  }
  return static_cast<std::uint64_t>(1e-6 / (least / 1e6) + 0.5);
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app("Measures the overhead of the library per element.");
  bool targets_only = false;
  bench::add_options(app, o);
  app.add_flag("--targets", targets_only, "only the tasks that have a target");
  CLI11_PARSE(app, argc, argv);

  now().spins = spins_a_microsecond();
  now().elements = o.quick ? 3'200'000 : 16'000'000;  // divisible by 64 and by 1000
  now().slow_elements = o.quick ? 100'000 : 300'000;
  const std::size_t rounds = o.rounds_or(9, 5);

  bench::report report(
      "framework: overhead of the library per element (64-bit integers, same arithmetic, same batches)", o);
  report.note("range-v3", std::to_string(RANGE_V3_MAJOR) + "." + std::to_string(RANGE_V3_MINOR) + "." +
                              std::to_string(RANGE_V3_PATCHLEVEL));
  report.note("elements per round",
              std::to_string(now().elements) + "; of 1 us each: " + std::to_string(now().slow_elements));

  const comparison chain(task::chain, now().elements, rounds);
  chain.print(report);
  report.at_most("ns per element, one thread (inline)", chain.of("plumbline, inline").median(), 3, 2,
                 &chain.measured());
  report.at_most("ns per element, ordered, 2 workers", chain.of("plumbline, 2 workers").median(), 10, 2,
                 &chain.measured());

  const comparison slow(task::slow, now().slow_elements, rounds);
  slow.print(report);
  const auto own = bench::ratio(slow.of("plumbline, 1 worker"), slow.of("plumbline, 2 workers"));
  report.table("the same, ratios of speed, round by round", "times", 3,
               {{"plumbline, 2 workers to 1", own},
                {"by hand, 2 threads to 1", bench::ratio(slow.of("by hand, 1 thread"), slow.of("by hand, 2 threads"))},
                {"plumbline to by hand, 2 threads",
                 bench::ratio(slow.of("by hand, 2 threads"), slow.of("plumbline, 2 workers"))}});
  report.at_least("speed of 2 workers relative to 1, elements of 1 us", own.median(), 1.85, 2, &slow.measured());

  measure_stages(report, rounds);
  if (!targets_only)
    for (const auto* name : task::others) comparison(name, now().elements, rounds).print(report);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
