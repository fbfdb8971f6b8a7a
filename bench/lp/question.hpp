#pragma once
/// The time to solve linear programs. Contenders get the same problems: problems shaped like Plumber's (Kuchnik et al.
/// 2022, section 4.3), solved from scratch and again with new data; and Netlib's, if they are available.

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <plumbline/lp/problem.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lp_bench {

namespace lp = plumbline::lp;

/// A random pipeline. The seed determines the rates per core, the disk's bandwidth by streams, and the cache sizes.
struct pipeline {
  int stages = 12;
  bool caches = false;
  unsigned seed = 0;
  bool whole = true;  ///< a cache is a binary choice; else it may be fractional
};

/// Maximises the rate X of minibatches: X <= theta_i R_i for every stage (except those whose output is cached, directly
/// or downstream), theta_i <= 1 for sequential stages, the sum of theta_i at most the cores, bytes * X within the
/// disk's concave piecewise linear curve, and the caches within memory.
inline lp::problem plumber_shaped(const pipeline& of) {
  std::mt19937 random(of.seed);
  const auto between = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  const auto power = [&](double low, double high) { return std::pow(10.0, between(low, high)); };
  lp::problem p{.goal = lp::sense::maximise};
  const double cores = 16, bytes = power(5, 7), memory = power(9, 11);
  const int rate = p.add_variable({.name = "rate", .cost = 1});
  std::vector<int> share, cache;
  for (int i = 0; i < of.stages; ++i)
    share.push_back(p.add_variable({.name = "cores " + std::to_string(i), .upper = i % 5 == 4 ? 1 : lp::infinity}));
  if (of.caches)
    for (int i = 0; i < of.stages; ++i)
      cache.push_back(p.add_variable({.name = "cache " + std::to_string(i), .upper = 1, .integer = of.whole}));
  const int streams = p.add_variable({.name = "streams", .upper = 64});
  const int disk = p.add_variable({.name = "disk"});
  const double most = 2e5;  // no pipeline here exceeds this many minibatches per second
  for (int i = 0; i < of.stages; ++i) {
    std::vector<lp::term> terms{{rate, 1}, {share[static_cast<std::size_t>(i)], -power(1, 4)}};
    if (of.caches)
      for (int k = i; k < of.stages; ++k) terms.push_back({cache[static_cast<std::size_t>(k)], -most});
    p.add_row({.name = "stage " + std::to_string(i), .upper = 0}, terms);
  }
  std::vector<lp::term> all;
  for (const int j : share) all.push_back({j, 1});
  p.add_row({.name = "cores", .upper = cores}, all);
  std::vector<lp::term> reads{{rate, bytes}, {disk, -1}};
  for (const int j : cache) reads.push_back({j, -most * bytes});
  p.add_row({.name = "reads", .upper = 0}, reads);
  double from = 0, slope = power(7.5, 8.5);
  for (int piece = 0; piece < 4; ++piece) {
    p.add_row({.name = "disk piece " + std::to_string(piece), .upper = from}, {{disk, 1}, {streams, -slope}});
    from += slope * (1 << (2 * piece)) * 0.7;
    slope *= 0.3;
  }
  if (of.caches) {
    std::vector<lp::term> held, one;
    double size = power(8, 9);
    for (const int j : cache) {
      held.push_back({j, size});
      one.push_back({j, 1});
      size *= between(0.8, 2.5);
    }
    p.add_row({.name = "memory", .upper = memory}, held);
    p.add_row({.name = "one cache", .upper = 1}, one);
    p.add_row({.name = "rate", .upper = most}, {{rate, 1}});
  }
  return p;
}

struct answer {
  std::string_view status{};
  double objective = 0;
  long iterations = 0;
  double inner = 0;  ///< seconds in the simplex method alone; 0 if not measured separately
};

/// Holds a problem and solves it.
struct contender {
  virtual ~contender() = default;
  virtual void load(const lp::problem&) = 0;
  /// Solves from scratch.
  virtual answer solve() = 0;
  /// Loads the data of a problem of the same shape and solves it from the last basis.
  virtual answer again(const lp::problem&) = 0;
};

struct entry {
  std::string who;
  std::function<std::unique_ptr<contender>()> make;
};
inline std::vector<entry>& entries() {
  static std::vector<entry> all;
  return all;
}
/// `const bool entered = enter({...})` at file scope registers a contender.
inline bool enter(entry e) {
  entries().push_back(std::move(e));
  return true;
}

}  // namespace lp_bench
