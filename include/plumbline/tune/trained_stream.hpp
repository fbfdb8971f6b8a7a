#pragma once
/// trained_stream: the rate of batches in the middle of an epoch, measured with the first of them, again and again. If
/// epochs are so short that they have no middle, that of whole epochs.

#include <plumbline/tune/measure_reads.hpp>
#include <plumbline/tune/measured_rate.hpp>
#include <plumbline/tune/training.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The rate of batches by the times between them. Batches of one message arrive together, so only the time between two
/// batches for which the consumer waited counts.
class batch_gaps {
 public:
  /// The next gap does not follow the last one.
  void cut() { follows_ = false; }
  void add(double seconds) {
    all_.push_back({seconds, std::exchange(follows_, true)});
    seconds_ += seconds;
  }
  double count() const { return static_cast<double>(all_.size()); }
  double seconds() const { return seconds_; }
  /// Whether the last batch was waited for.
  bool waited() const { return !all_.empty() && waited(all_.back()); }
  /// Batches a second: the slope of the line through all arrivals, by least squares. Where one and two batches arrive
  /// in turn, the rate from the first arrival to the last would depend on where in this pattern these two are.
  double rate() const {
    const auto all = arrivals();
    if (all.empty()) return count() / seconds_;
    std::vector<sum> points(1);
    sum mean;
    for (const auto& one : all) {
      points.push_back(points.back());
      points.back() += one;
      mean += points.back();
    }
    const auto n = static_cast<double>(points.size());
    mean = {mean.n / n, mean.seconds / n};
    double batches = 0, seconds = 0;
    for (const auto& p : points) {
      batches += (p.n - mean.n) * (p.n - mean.n);
      seconds += (p.n - mean.n) * (p.seconds - mean.seconds);
    }
    return batches / seconds;
  }
  /// The rates of at most eight consecutive parts of the time; fewer if there were fewer arrivals.
  std::vector<double> parts() const {
    constexpr std::size_t most = 8;
    const auto all = arrivals();
    const auto wanted = std::min(most, all.size());
    std::vector<double> rates;
    for (std::size_t part = 0; part != wanted; ++part) {
      sum own;
      for (auto i = part * all.size() / wanted; i != (part + 1) * all.size() / wanted; ++i) own += all[i];
      if (own.seconds > 0) rates.push_back(own.n / own.seconds);
    }
    return rates;
  }

 private:
  struct sum {
    double n = 0, seconds = 0;
    void operator+=(const sum& other) { n += other.n, seconds += other.seconds; }
  };
  /// What came, and in which time, until each batch that was waited for.
  std::vector<sum> arrivals() const {
    std::vector<sum> all;
    sum since;
    bool known = false;  // since when
    for (const auto& g : all_) {
      if (!g.follows) known = false;
      since += {1, g.seconds};
      if (!waited(g)) continue;
      if (known) all.push_back(since);
      known = true;
      since = {};
    }
    return all;
  }
  struct gap {
    double seconds;
    bool follows;
  };
  bool waited(const gap& g) const { return g.seconds * count() >= seconds_; }
  std::vector<gap> all_;
  double seconds_ = 0;
  bool follows_ = false;
};

/// Waits until this process uses almost no processor time, at most this long.
inline void wait_while_busy(double seconds) {
  for (const auto begin = wall_now(); seconds_since(begin) < seconds;) {
    const auto cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu < 200'000) break;  // ns: a tenth of a core
  }
}

class trained_stream {
 public:
  using clock = std::int64_t (*)();  ///< ns
  /// `first`: the epoch that is measured, from its beginning.
  trained_stream(std::unique_ptr<training> of, std::uint64_t first, clock now = wall_now)
      : of_(std::move(of)), first_(first), now_(now) {
    restart();
  }
  training& operator*() { return *of_; }
  training* operator->() { return of_.get(); }
  /// Takes batches until they have more bytes than processors' caches hold, or for so long after the first one, which
  /// may come late; at least so many, if that is not ten times as long. Later measurements use those, so that hardly
  /// any others have to be read from storage. If the epoch ends soon after its beginning, it counts as a whole.
  void choose(double bytes_each, double seconds, std::uint64_t least) {
    auto& s = of_->stream();
    auto first = now_();
    bool enough = false;
    while (!enough && s.next()) {
      const auto at = now_();
      arrived(at, restarted_);
      if (this_epoch_ == 1) first = at;
      const double passed = 1e-9 * static_cast<double>(at - first);
      enough = (static_cast<double>(this_epoch_) * bytes_each >= most_bytes || passed > seconds) &&
               (this_epoch_ >= least || passed > 10 * seconds);
    }
    short_ = !enough && is_short();
    s.shorten();
    restart();
  }
  static constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  ///< more than processors' caches hold
  /// Batches a second, for about `seconds` after a third of it, and at least so many batches. `steps`: with the step.
  rate_in_parts rate(bool steps, std::uint64_t batches, double seconds) {
    take(false, batches / 3, seconds / 6);  // those that were ready
    take(steps, batches / 4, seconds / 6);
    auto seen = take(steps, batches, seconds);
    wait_while_busy(seconds);  // until its buffers are full, so that its threads do not work while others are measured
    return seen;
  }
  /// The fewest batches for a rate, as those that threads make in parallel may arrive together. `competes`: with a step
  /// that takes cores from them. Then what is ready changes slowly, by chance, and with it the rate.
  static std::uint64_t least(std::size_t threads, bool competes = false) {
    return std::max<std::uint64_t>(3 * threads, 10) * (competes ? 5 : 1);
  }

 private:
  void restart() {
    if (this_epoch_ != 0) most_ = std::min(most_, this_epoch_);  // it may have ended by itself
    of_->stream().restart(first_);
    this_epoch_ = 0;
    restarted_ = now_();
  }
  /// Counts a batch. `since`: when the consumer began to ask for it.
  void arrived(std::int64_t at, std::int64_t since) {
    if (++this_epoch_ == 1) {
      steady_ = at + 2 * (at - std::max(restarted_, since));
      late_ = 0;
    }
    if (at >= steady_) ++late_;
  }
  /// Of an epoch that has ended: less than half of it came after its beginning.
  bool is_short() const { return 2 * late_ < this_epoch_; }
  /// The rate of as many batches as `seconds` allow, without the beginning of an epoch, where the first batch takes the
  /// time of the whole pipeline: epochs of a training run are longer than these. In an epoch that ends soon after it,
  /// batches that were begun there come faster than they are made, so then all count.
  rate_in_parts take(bool steps, std::uint64_t least, double seconds) {
    const auto begin = now_();
    batch_gaps gaps;
    auto last = begin;
    for (;;) {
      while (this_epoch_ == most_ || !(steps ? of_->train() : of_->stream().next())) {
        if (!short_ && restarted_ >= begin && is_short()) {
          short_ = true;
          gaps = {};
        }
        restart();
      }
      const auto before = std::exchange(last, now_());
      arrived(last, begin);
      if (!short_ && this_epoch_ == 1) gaps.cut();
      if (!short_ && last < steady_ && this_epoch_ <= most_ / 2)
        gaps.cut();
      else
        gaps.add(1e-9 * static_cast<double>(last - before));
      const double n = gaps.count(), now = 1e-9 * static_cast<double>(now_() - begin);
      const auto few = static_cast<double>(least);
      const bool enough = n >= few || (n >= 3 && now >= 10 * seconds);
      const bool waited = gaps.waited() || (n >= 2 * few && now >= 2 * seconds);
      if (now >= seconds && enough && waited) return {gaps.rate(), gaps.parts()};
    }
  }

  std::unique_ptr<training> of_;
  const std::uint64_t first_;
  const clock now_;
  std::uint64_t most_ = ~std::uint64_t{0}, this_epoch_ = 0;
  std::uint64_t late_ = 0;                   ///< batches of this epoch after its beginning
  bool short_ = false;                       ///< less than half of an epoch comes after its beginning
  std::int64_t restarted_ = 0, steady_ = 0;  ///< ns: when the epoch was begun, and until when its buffers fill
};

}  // namespace plumbline::detail
