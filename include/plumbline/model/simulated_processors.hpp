#pragma once
/// simulated_processors: the processors and the clock of a simulation: cores shared by all parts, and I/O threads
/// shared by the blocking ones. Tasks are served first come, first served. Costs vary at random.

#include <plumbline/model/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <vector>

namespace plumbline::detail {

class simulated_processors {
 public:
  /// A message to be processed by a part of a segment. The part's cost is in the simulation.
  struct task {
    std::size_t segment, part;
    std::uint64_t message;
  };
  static constexpr std::size_t consumer = ~std::size_t{0};  ///< `segment` of the consumer's work, which is no task

  explicit simulated_processors(const simulation& s)
      : s_(s), random_(s.seed), free_cores_(s.cores), free_io_(s.io_threads) {
    const double v = std::log1p(s.variation * s.variation);
    scatter_ = std::lognormal_distribution<>(-v / 2, std::sqrt(v));
    for (const auto& segment : s.segments) {
      running_.emplace_back(segment.parts.size());
      busy_.emplace_back(segment.parts.size());
    }
  }

  double now() const { return now_; }  ///< seconds
  void ask(const task& t) { (part(t).blocks ? ready_io_ : ready_).push_back(t); }
  /// Keeps the consumer busy for `seconds` from now on.
  void consume(double seconds) { events_.push({now_ + seconds, false, {consumer, 0, 0}}); }
  /// Assigns free cores and I/O threads to waiting tasks.
  void start() {
    for (; free_io_ > 0 && !ready_io_.empty(); --free_io_) {
      const auto t = take(ready_io_);
      ++running_[t.segment][t.part];
      events_.push({now_ + scattered(part(t).blocked_seconds), true, t});
    }
    for (; free_cores_ > 0 && !ready_.empty(); --free_cores_) {
      const auto t = take(ready_);
      if (!part(t).blocks) ++running_[t.segment][t.part];
      events_.push({now_ + scattered(part(t).seconds), false, t});
    }
  }
  /// Advances the clock to the next task that completes and returns it; nullopt if none ever will.
  std::optional<task> done() {
    while (!events_.empty()) {
      const auto e = events_.top();
      events_.pop();
      advance(e.at);
      if (e.of.segment == consumer) return e.of;
      if (e.waited && part(e.of).seconds > 0) {  // the data have arrived; now they need a core
        ready_.push_back(e.of);
        start();
        continue;
      }
      if (!e.waited) ++free_cores_;
      if (part(e.of).blocks) ++free_io_;
      --running_[e.of.segment][e.of.part];
      return e.of;
    }
    return {};
  }

  /// Starts measuring how busy cores and parts are.
  void count() {
    since_ = now_;
    cores_busy_ = 0;
    for (auto& segment : busy_) std::fill(segment.begin(), segment.end(), 0.0);
  }
  double cores_busy() const { return cores_busy_ / (now_ - since_); }  ///< mean, since count()
  /// Mean number of messages being processed since count(), by segment and part.
  std::vector<std::vector<double>> busy() const {
    auto all = busy_;
    for (auto& segment : all)
      for (auto& b : segment) b /= now_ - since_;
    return all;
  }

 private:
  struct event {
    double at;
    bool waited;  ///< ends a wait for storage, which holds no core
    task of;
    bool operator>(const event& o) const { return at > o.at; }
  };

  const simulated_part& part(const task& t) const { return s_.segments[t.segment].parts[t.part]; }
  static task take(std::deque<task>& from) {
    const auto t = from.front();
    from.pop_front();
    return t;
  }
  void advance(double to) {
    const double step = to - now_;
    cores_busy_ += step * static_cast<double>(s_.cores - free_cores_);
    for (std::size_t l = 0; l != busy_.size(); ++l)
      for (std::size_t p = 0; p != busy_[l].size(); ++p) busy_[l][p] += step * running_[l][p];
    now_ = to;
  }
  double scattered(double seconds) { return s_.variation > 0 ? seconds * scatter_(random_) : seconds; }

  const simulation& s_;
  std::mt19937_64 random_;
  std::lognormal_distribution<> scatter_;
  std::size_t free_cores_, free_io_;
  std::deque<task> ready_{}, ready_io_{};
  std::priority_queue<event, std::vector<event>, std::greater<>> events_{};
  std::vector<std::vector<double>> running_{}, busy_{};
  double now_ = 0, since_ = 0, cores_busy_ = 0;
};

}  // namespace plumbline::detail
