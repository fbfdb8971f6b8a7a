// bench_timeline: how true a timeline is. Each batch's wait and delay are compared with the consumer's own clocks, and
// the sum of the operators' times with the counters'.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>
#include <vector>

#include "support/report.hpp"

namespace {

namespace pl = plumbline;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
void busy(std::int64_t ns) {
  for (const auto end = now() + ns; now() < end;) {
  }
}
auto busy_map(std::int64_t ns) {
  return pl::map([ns](std::int64_t x) {
    busy(ns);
    return x;
  });
}

/// When the elements of a stream were made, in order: `noting` is its last map.
class made_times {
 public:
  explicit made_times(std::size_t n) : at_(std::make_shared<std::vector<std::atomic<std::int64_t>>>(n)) {}
  /// Elements arrive in any order, so each is known by its place.
  auto noting() const {
    return pl::map([at = at_](auto x) {
      (*at)[static_cast<std::size_t>(x.first)] = now();
      return x;
    });
  }
  std::int64_t operator[](std::size_t i) const { return (*at_)[i]; }

 private:
  std::shared_ptr<std::vector<std::atomic<std::int64_t>>> at_;
};

class truth {
 public:
  truth(bench::report& to, std::size_t rounds) : to_(to), rounds_(rounds) {}

  /// `p` makes batches, at most `n` an epoch; the consumer works `step` nanoseconds on each.
  template <class P>
  void of_waits(const std::string& what, const P& p, std::size_t n, std::size_t threads, std::int64_t step) {
    bench::series wait, delay;
    for (std::size_t r = 0; r != rounds_; ++r) {
      const made_times made(n);
      const auto numbered = p | pl::enumerate() | made.noting();
      auto s = pl::run<pl::tracing::timeline>(numbered, {.threads = threads});
      std::vector<std::array<std::int64_t, 2>> own;
      for (auto asked = now();; asked = now()) {
        const auto b = s.next();
        if (!b) break;
        own.push_back({asked, now()});
        busy(step);
      }
      const auto log = pl::batches_of(s.timeline());
      if (log.batches.size() != own.size()) throw std::runtime_error("the timeline lacks batches");
      for (std::size_t i = 0; i != own.size(); ++i) {
        const auto& b = log.batches[i];
        const auto off = [](double seconds, std::int64_t ns) {
          return 1e6 * std::abs(seconds - 1e-9 * static_cast<double>(ns));
        };
        wait.rounds.push_back(off(b.wait(), own[i][1] - own[i][0]));
        delay.rounds.push_back(off(b.delay(), own[i][1] - made[i]));
      }
    }
    const auto title =
        what + ", " + std::to_string(threads) + " threads, a step of " + std::to_string(step / 1'000'000) + " ms";
    to_.table(title, "us off", 2,
              {{"wait", wait},
               {"wait, 99 %", {{wait.quantile(0.99)}}},
               {"delay", delay},
               {"delay, 99 %", {{delay.quantile(0.99)}}}});
    const auto beyond = [](const bench::series& x) {
      return std::to_string(std::count_if(x.rounds.begin(), x.rounds.end(), [](double us) { return us > 50; })) +
             " of " + std::to_string(x.rounds.size());
    };
    to_.note(title, "off by more than 50 us: " + beyond(wait) + " waits, " + beyond(delay) + " delays");
    to_.at_most("99 % of waits, " + title, wait.quantile(0.99), 50);
    to_.at_most("99 % of delays, " + title, delay.quantile(0.99), 50);
  }

  template <class P> void of_operators(const std::string& what, const P& p, std::size_t threads) {
    const auto sum = [](const pl::trace& t) {
      return std::accumulate(t.counters.begin(), t.counters.end(), 0.0,
                             [](double all, const auto& c) { return all + c.wall_seconds; });
    };
    bench::series same, other;
    for (std::size_t r = 0; r != rounds_; ++r) {
      auto counters = pl::run<pl::tracing::counters>(p, {.threads = threads});
      while (counters.next()) {
      }
      auto events = pl::run<pl::tracing::timeline>(p, {.threads = threads});
      while (events.next()) {
      }
      const auto seconds = pl::operator_seconds(events.timeline());
      const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
      same.rounds.push_back(100 * (all / sum(events.traced()) - 1));
      other.rounds.push_back(100 * (all / sum(counters.traced()) - 1));
    }
    const auto title = "operators' time, " + what + ", " + std::to_string(threads) + " threads";
    to_.table(title, "% off", 2, {{"the counters of the same run", same}, {"of a run in turn", other}});
    const auto worst = [](const bench::series& s) { return std::max(std::abs(s.low()), std::abs(s.high())); };
    to_.at_most("% off, the same run, worst, " + title, worst(same), 5);
    to_.at_most("% off, a run in turn, median, " + title, std::abs(other.median()), 5);
  }

 private:
  bench::report& to_;
  std::size_t rounds_;
};

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares a timeline with the consumer's own clocks and with the counters.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  bench::report report("a timeline's waits and delays beside the consumer's clocks, and its operators' times", o);
  truth is(report, o.rounds_or(9, 3));
  const auto photos = [](const std::string& folder) {
    return pl::files(folder + "/**/*.{jpg,jpeg}", {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() |
           pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::to_planar()) |
           pl::batch<8>();
  };
  const auto shipped = photos(std::string(PLUMBLINE_SOURCE_DIR) + "/examples/data/photos");
  const auto numbers = pl::range(200 * 8) | busy_map(200'000) | pl::batch(8);
  for (const std::size_t threads : {0U, 1U, 2U})
    for (const std::int64_t step : {0, 2'000'000}) {
      is.of_waits("maps of 200 us", numbers, 200, threads, step);
      is.of_waits("the demo's photos", shipped, 5, threads, step);
    }
  const auto nine = pl::range(20'000) | busy_map(9'000) | pl::filter([](std::int64_t x) { return x % 2 == 0; }) |
                    busy_map(4'000) | pl::batch(100);
  const auto smallest = pl::range(20'000'000) | pl::map([](std::int64_t x) { return x + 1; }) |
                        pl::map([](std::int64_t x) { return x ^ 5; }) |
                        pl::filter([](std::int64_t x) { return x % 4 != 0; }) | pl::batch(256);
  for (const std::size_t threads : {0U, 2U}) {
    is.of_operators("maps of 9 and 4 us", nine, threads);
    is.of_operators("the smallest operators", smallest, threads);
    is.of_operators("the demo's photos", shipped | pl::repeat(4), threads);
  }
  const char* said = std::getenv("PLUMBLINE_DATA");
  const std::string data = said != nullptr ? said : std::string(PLUMBLINE_SOURCE_DIR) + "/../shared/data";
  for (const std::string name : {"photos_clothing"})
    if (std::filesystem::is_directory(data + "/" + name)) {
      is.of_operators(name, photos(data + "/" + name), 2);
      is.of_waits(name, photos(data + "/" + name), 2000, 2, 0);
    } else {
      report.skipped(name, "there is no " + data + "/" + name + " (set PLUMBLINE_DATA)");
    }
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "bench_timeline: " << e.what() << '\n';
    return 1;
  }
}
