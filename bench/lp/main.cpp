// bench_lp: the time to solve linear programs, compared with GLPK in the same program.
#include <cstdlib>
#include <filesystem>

#include <plumbline/lp/solve.hpp>

#include "lp/question.hpp"
#include "support/mps.hpp"
#include "support/report.hpp"

namespace {

using namespace lp_bench;

/// The times of one contender for a family of problems: for each round, the median over the family, in microseconds.
struct timing {
  bench::series first, again, inner, inner_first;
};

/// The median of a family's times. Times from scratch are each the lowest of a few tries, which leaves out most
/// disturbance by other processes.
double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

class family {
 public:
  family(const pipeline& of, int members) {
    for (int k = 0; k < members; ++k) {
      pipeline p = of;
      p.seed = static_cast<unsigned>(k);
      problems_.push_back(plumber_shaped(p));
      const lp::solution s = lp::solve(problems_.back(), {.keep_tree = true});
      if (!lp::verify(problems_.back(), s).holds || s.status != lp::status::optimal)
        throw std::runtime_error("a problem was not solved: " + std::string(name_of(s.status)));
      optima_.push_back(s.objective);
    }
  }
  std::string shape() const {
    return std::to_string(problems_[0].rows.size()) + " rows, " + std::to_string(problems_[0].variables.size()) +
           " variables";
  }

  timing measure(contender& c, std::size_t rounds, int& missed) const {
    timing out;
    for (std::size_t r = 0; r < rounds; ++r) {
      std::vector<double> first, again, inner, inner_first;
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        c.load(problems_[k]);
        answer a;
        double least = 1e300, least_inner = 1e300;
        for (int attempt = 0; attempt < 3; ++attempt) {
          least = std::min(least, bench::seconds([&] { a = c.solve(); }));
          least_inner = std::min(least_inner, a.inner);
        }
        first.push_back(least * 1e6);
        inner_first.push_back(least_inner * 1e6);
        agree(optima_, k, a, missed);
      }
      // solves the problems one after another, each from the basis of the previous one
      c.load(problems_.back());
      c.solve();
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        answer a;
        again.push_back(bench::seconds([&] { a = c.again(problems_[k]); }) * 1e6);
        inner.push_back(a.inner * 1e6);
        agree(optima_, k, a, missed);
      }
      out.first.rounds.push_back(median(first));
      out.again.rounds.push_back(median(again));
      out.inner.rounds.push_back(median(inner));
      out.inner_first.rounds.push_back(median(inner_first));
    }
    return out;
  }

 private:
  /// Counts an answer that misses the optimum, which plumbline proved (with the whole tree for integer variables).
  static void agree(const std::vector<double>& optima, std::size_t k, const answer& a, int& missed) {
    if (a.status != "optimal" || std::abs(optima[k] - a.objective) > 1e-6 * std::abs(optima[k])) ++missed;
  }
  std::vector<lp::problem> problems_{};
  std::vector<double> optima_{};
};

/// Without caches, with fractional caches, or with a binary variable for each cache.
enum class kind { plain, caches, binaries };

void plumber(bench::report& report, std::size_t rounds, kind of) {
  const bool whole = of == kind::binaries;
  const std::string what = whole                ? " stages with a binary variable for each cache"
                           : of == kind::caches ? " stages with fractional caches"
                                                : " stages";
  for (const int stages : whole ? std::vector{4, 8, 12, 16, 24} : std::vector{4, 8, 12, 16, 24, 32, 48, 64}) {
    const family problems({stages, of != kind::plain, 0, whole}, of == kind::plain ? 100 : 20);
    std::vector<std::pair<std::string, bench::series>> rows;
    std::vector<std::pair<std::string, int>> missed;
    std::vector<timing> shown;
    for (const auto& e : entries()) {
      const auto c = e.make();
      int misses = 0;
      shown.push_back(problems.measure(*c, rounds, misses));
      if (misses != 0 && e.who == "plumbline")
        throw std::runtime_error("plumbline missed an optimum that it had proved");
      if (misses != 0) missed.emplace_back(e.who, misses);
      rows.emplace_back(e.who + ", from scratch", shown.back().first);
      rows.emplace_back(e.who + ", again with new data", shown.back().again);
      if (shown.back().inner.median() > 0) {
        const std::string alone = whole ? ", without loading" : ", its simplex alone";
        rows.emplace_back(e.who + ", from scratch" + alone, shown.back().inner_first);
        rows.emplace_back(e.who + ", again" + alone, shown.back().inner);
      }
    }
    report.table(std::to_string(stages) + what + " (" + problems.shape() + ")", "us, median over the family", 1, rows);
    for (const auto& [who, times] : missed)
      report.note(std::to_string(stages) + what, who + " missed the optimum " + std::to_string(times) + " times");
    std::size_t own = 0;
    for (std::size_t k = 0; k < entries().size(); ++k)
      if (entries()[k].who == "plumbline") own = k;
    if (stages == 12 && of == kind::plain)
      report.at_most("us for 12 stages, solved again", shown[own].again.median(), 20, 1);
    for (std::size_t k = 0; k < entries().size(); ++k) {
      if (k == own) continue;
      const std::string other =
          "time relative to " + entries()[k].who + (whole ? "'s branch and bound, " : "'s simplex alone, ");
      report.at_most(other + "from scratch, " + std::to_string(stages) + what,
                     bench::ratio(shown[own].first, shown[k].inner_first).median(), 1, 2);
      report.at_most(other + "again, " + std::to_string(stages) + what,
                     bench::ratio(shown[own].again, shown[k].inner).median(), 1, 2);
    }
  }
}

void netlib(bench::report& report, std::size_t rounds) {
  const char* root = std::getenv("PLUMBLINE_DATA");
  const std::filesystem::path folder = std::filesystem::path(root != nullptr ? root : "../shared/data") / "netlib_lp";
  if (!std::filesystem::exists(folder)) return report.skipped("Netlib's problems", "no " + folder.string());
  std::vector<std::filesystem::path> files;
  for (const auto& f : std::filesystem::directory_iterator(folder))
    if (f.path().extension() == ".mps") files.push_back(f.path());
  std::sort(files.begin(), files.end());
  std::vector<double> ratios;
  for (const auto& file : files) {
    const lp::problem p = plumbline_test::mps_reader::read_file(file.string());
    std::vector<std::unique_ptr<contender>> contenders;
    std::vector<std::function<double()>> runs;
    for (const auto& e : entries()) {
      contenders.push_back(e.make());
      contenders.back()->load(p);
      runs.push_back([c = contenders.back().get()] {
        answer a;
        const double whole = bench::seconds([&] { a = c->solve(); });
        return a.inner > 0 ? a.inner : whole;
      });
    }
    const bench::turns t = bench::in_turns(runs, rounds);
    std::vector<std::pair<std::string, bench::series>> rows;
    for (std::size_t k = 0; k < entries().size(); ++k)
      rows.emplace_back(entries()[k].who, t[k].as([](double s) { return s * 1e3; }));
    report.table(file.stem().string(), "ms", 2, rows);
    if (entries().size() == 2) {
      const std::size_t own = entries()[0].who == "plumbline" ? 0 : 1;
      ratios.push_back(bench::ratio(t[own], t[1 - own]).median());
    }
  }
  if (!ratios.empty()) {
    report.record("time relative to the other solver, file by file", ratios);
    report.at_most("time relative to GLPK, median over Netlib's files", median(ratios), 5, 2);
    report.at_most("time relative to GLPK, the worst of Netlib's files",
                   *std::max_element(ratios.begin(), ratios.end()), 5, 2);
  }
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app("Measures the time to solve linear programs.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  bench::report report("lp: the time to solve linear programs", o);
  if (entries().size() < 2) report.skipped("the comparison with GLPK", "built without it (libglpk-dev)");
  plumber(report, o.rounds_or(9, 3), kind::plain);
  plumber(report, o.rounds_or(5, 2), kind::caches);
  plumber(report, o.rounds_or(5, 2), kind::binaries);
  netlib(report, o.rounds_or(5, 2));
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
