// bench_framework: what the library itself costs an element.
#include <range/v3/version.hpp>

#include "framework/question.hpp"
#include "support/report.hpp"

namespace {

using namespace framework;

struct result {
  std::string who;
  bench::series seconds;
};

/// All contenders at one task, in turn; each must hand on the same numbers.
std::vector<result> compare(const std::string& task, std::size_t rounds) {
  std::vector<std::string> names;
  std::vector<std::function<double()>> contenders;
  bool first = true;
  std::uint64_t expected = 0;
  for (const auto& e : entries()) {
    if (e.task != task) continue;
    names.push_back(e.who);
    contenders.push_back([&] {
      std::uint64_t got = 0;
      const double s = bench::seconds([&] { got = e.run(); });
      if (!std::exchange(first, false) && got != expected)
        throw std::runtime_error(e.who + " hands on other numbers than the first contender at: " + task);
      expected = got;
      return s;
    });
  }
  auto measured = bench::in_turns(contenders, rounds);
  std::vector<result> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.push_back({names[i], std::move(measured[i])});
  return out;
}
const bench::series& of(const std::vector<result>& all, const std::string& who) {
  for (const auto& r : all)
    if (r.who == who) return r.seconds;
  throw std::logic_error("no contender " + who);
}
std::vector<std::pair<std::string, bench::series>> per_element(const std::vector<result>& all, element n) {
  std::vector<std::pair<std::string, bench::series>> out;
  for (const auto& r : all)
    out.emplace_back(r.who, r.seconds.as([&](double s) { return s * 1e9 / static_cast<double>(n); }));
  return out;
}

/// How many spins make a microsecond here.
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
  CLI::App app("What the library itself costs an element.");
  bool targets_only = false;
  bench::add_options(app, o);
  app.add_flag("--targets", targets_only, "only what has a target");
  CLI11_PARSE(app, argc, argv);

  now().spins = spins_a_microsecond();
  now().elements = o.quick ? 3'200'000 : 16'000'000;  // divisible by 64 and by 1000
  now().slow_elements = o.quick ? 100'000 : 300'000;
  const std::size_t rounds = o.rounds_or(9, 5);

  bench::report report("framework: what the library costs an element (64-bit integers, same arithmetic, same batches)",
                       o);
  report.note("range-v3", std::to_string(RANGE_V3_MAJOR) + "." + std::to_string(RANGE_V3_MINOR) + "." +
                              std::to_string(RANGE_V3_PATCHLEVEL));
  report.note("elements a round", std::to_string(now().elements) + "; of 1 us: " + std::to_string(now().slow_elements));

  const auto ns = [](const bench::series& s) { return s.median() * 1e9 / static_cast<double>(now().elements); };
  const auto chain = compare(task::chain, rounds);
  report.table(task::chain, "ns an element of the range", 2, per_element(chain, now().elements));
  report.at_most("ns an element, one thread (inline)", ns(of(chain, "plumbline, inline")), 3);
  report.at_most("ns an element, ordered, 2 workers", ns(of(chain, "plumbline, 2 workers")), 10);

  const auto slow = compare(task::slow, rounds);
  report.table(task::slow, "ns an element", 1, per_element(slow, now().slow_elements));
  const auto own = bench::ratio(of(slow, "plumbline, 1 worker"), of(slow, "plumbline, 2 workers"));
  report.table(
      "the same: 2 threads over 1", "times", 3,
      {{"plumbline", own},
       {"by hand", bench::ratio(of(slow, "by hand, 1 thread"), of(slow, "by hand, 2 threads"))},
       {"plumbline to by hand, at 2", bench::ratio(of(slow, "by hand, 2 threads"), of(slow, "plumbline, 2 workers"))}});
  report.at_least("speed of 2 workers over 1, elements of 1 us", own.median(), 1.85);

  for (const auto* name : targets_only ? std::span<const char* const>() : std::span<const char* const>(task::others))
    report.table(name, "ns an element", 2, per_element(compare(name, rounds), now().elements));
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
