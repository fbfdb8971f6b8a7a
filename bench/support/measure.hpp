#pragma once
/// How every benchmark here measures: contenders run alternately within one program, for several rounds. A figure is
/// the median of its rounds, shown with the lowest and the highest. Ratios are taken within each round, so that drift
/// of the machine's speed affects both sides. A round in which other processes used a core is measured again.

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

using clock = std::chrono::steady_clock;

template <class F> double seconds(F&& f) {
  const auto begin = clock::now();
  f();
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Processor time so far of this thread or of the whole process, which excludes time used by other processes.
inline double processor_seconds(clockid_t whose) {
  timespec t{};
  clock_gettime(whose, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The figures of one contender, one per round.
struct series {
  std::vector<double> rounds{};

  double low() const { return *std::min_element(rounds.begin(), rounds.end()); }
  double high() const { return *std::max_element(rounds.begin(), rounds.end()); }
  double median() const { return quantile(0.5); }
  double quantile(double q) const {
    auto sorted = rounds;
    std::sort(sorted.begin(), sorted.end());
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  }
  /// The series with f applied to each figure, for example to change units.
  template <class F> series as(F&& f) const {
    series out;
    for (const double x : rounds) out.rounds.push_back(f(x));
    return out;
  }
};

/// a / b, round by round.
inline series ratio(const series& a, const series& b) {
  series out;
  for (std::size_t i = 0; i < a.rounds.size(); ++i) out.rounds.push_back(a.rounds[i] / b.rounds[i]);
  return out;
}

/// Measures processor time, in seconds, used by anything but this process since construction: other processes (not
/// those of low priority), the kernel, a hypervisor. The resolution is about 10 ms; the result is 0 if /proc/stat
/// cannot be read.
class others {
 public:
  double seconds() const { return std::max(0.0, (all() - all_) - (own() - own_)); }

 private:
  static double all() {
    std::ifstream in("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
    in >> cpu >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal;
    if (!in) return 0;
    return (user + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  static double own() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    const auto s = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return s(u.ru_utime) + s(u.ru_stime);
  }
  double all_ = all(), own_ = own();
};

/// Measures again what others disturbed.
class undisturbed {
 public:
  explicit undisturbed(int attempts) : attempts_(attempts) {}
  /// Calls f() until others have used less than a twenty-fifth of a core meanwhile, at most `attempts` times. Returns
  /// what the call returned during which they used the least.
  template <class F> auto operator()(F&& f) {
    ++all_;
    std::optional<std::invoke_result_t<F&>> best;
    double least = 0;
    for (int attempt = 0; attempt != attempts_; ++attempt) {
      if (attempt != 0) {
        ++again_;
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the disturbance may end
      }
      const others outside;
      std::optional<std::invoke_result_t<F&>> now;
      const double took = seconds([&] { now.emplace(f()); });
      const double used = std::max(0.0, outside.seconds() - 0.02) / took;  // less the resolution
      if (!best || used < least) best = std::move(now), least = used;
      if (least < 0.04) return *std::move(best);
    }
    ++disturbed_;
    return *std::move(best);
  }
  std::string text() const {
    return std::to_string(all_) + " figures, measured again " + std::to_string(again_) +
           " times as others used a core, " + std::to_string(disturbed_) + " still disturbed then";
  }

 private:
  int attempts_;
  std::size_t all_ = 0, again_ = 0, disturbed_ = 0;
};

/// The result of in_turns, and how quiet the machine was.
struct turns {
  std::vector<series> of{};
  std::size_t repeated = 0;  ///< rounds discarded because others used more than a twentieth of a core
  double disturbed = 0;      ///< fraction of a core used by others in the rounds that count
  const series& operator[](std::size_t i) const { return of[i]; }
};

/// Runs each contender once unmeasured, then all of them `rounds` times; each round begins with the next contender. A
/// disturbed round is measured again, at most `rounds` times in all; after that, disturbed rounds count too. A
/// contender returns the figure to record, usually the seconds it took.
inline turns in_turns(const std::vector<std::function<double()>>& contenders, std::size_t rounds) {
  turns out;
  out.of.resize(contenders.size());
  for (const auto& c : contenders) c();
  double foreign = 0, wall = 0;
  for (std::size_t r = 0; r < rounds;) {
    std::vector<double> noted(contenders.size());
    const others outside;
    const double took = seconds([&] {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const std::size_t k = (r + i) % contenders.size();
        noted[k] = contenders[k]();
      }
    });
    const double used = outside.seconds();
    if (used > 0.05 * took + 0.02 && out.repeated < rounds) {
      ++out.repeated;
      std::this_thread::sleep_for(std::chrono::seconds(1));  // the disturbance may end
      continue;
    }
    foreign += used;
    wall += took;
    for (std::size_t i = 0; i < noted.size(); ++i) out.of[i].rounds.push_back(noted[i]);
    ++r;
  }
  out.disturbed = foreign / wall;
  return out;
}

}  // namespace bench
