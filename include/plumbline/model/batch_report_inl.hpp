#pragma once
/// Definitions of model/batch_report.hpp.

#include <plumbline/model/batch_checks.hpp>
#include <plumbline/model/batch_report.hpp>
#include <plumbline/model/format.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace plumbline {

namespace detail {

/// The covariance of two series of one length.
inline double covariance(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, sum = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i != x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i != x.size(); ++i) sum += (x[i] - mean_x) * (y[i] - mean_y) / n;
  return sum;
}
/// The share of y's variance that x explains: the squared correlation.
inline double explained_by(const std::vector<double>& x, const std::vector<double>& y) {
  const double both = covariance(x, y), all = covariance(x, x) * covariance(y, y);
  return all > 0 ? both * both / all : 0;
}

class batch_evaluation {
 public:
  batch_evaluation(const batch_log& of, const batch_report_options& how) : of_(of), how_(how), all_(in_order(of)) {
    check_limits(how.limits);
    check_batches(of, all_);
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(whole_), [](const auto* b) { return !b->begun_lost; });
  }
  batch_report result() {
    times();
    order();
    bound();
    variance();
    worst();
    return std::move(r_);
  }

 private:
  template <class F> static std::vector<double> each(const std::vector<const batch_record*>& of, F&& f) {
    std::vector<double> out;
    for (const auto* b : of) out.push_back(f(*b));
    return out;
  }
  std::vector<double> preparations() const {
    return each(whole_, [](const auto& b) { return b.preparation(); });
  }
  void times() {
    std::set<std::string_view> workers;
    std::set<std::pair<std::uint64_t, std::uint64_t>> epochs;
    for (const auto* b : all_) {
      epochs.insert(pass_of(*b));
      if (!b->worker.empty()) workers.insert(b->worker);
    }
    r_.batches = all_.size();
    r_.epochs = epochs.size();
    r_.workers = workers.size();
    r_.dropped = of_.dropped, r_.cut_off = of_.cut_off;
    if (!all_.empty()) {
      r_.first = {all_.front()->epoch, all_.front()->index};
      r_.last = {all_.back()->epoch, all_.back()->index};
    }
    r_.begun_lost = all_.size() - whole_.size();
    r_.preparation = distribution_of(preparations(), how_.limits);
    r_.wait = distribution_of(each(all_, [](const auto& b) { return b.wait(); }), how_.limits);
    r_.delay = distribution_of(each(all_, [](const auto& b) { return b.delay(); }), how_.limits);
    std::vector<double> steps;
    for (const auto* b : all_)
      if (b->released != 0) steps.push_back(1e-9 * static_cast<double>(b->released - b->consumed));
    r_.step = distribution_of(std::move(steps), how_.limits);
  }
  /// Arrivals before a batch that precedes them, and waiting while a later batch was there.
  void order() {
    std::vector<double> kept;
    std::int64_t latest = 0;  // arrival so far
    for (std::size_t i = 0; i != all_.size(); ++i) {
      const auto& b = *all_[i];
      const bool first = i == 0 || pass_of(*all_[i - 1]) != pass_of(b);
      // of a part of a log, those that an early batch overtook may be missing
      early_.push_back(b.early || (!first && b.there() < latest));
      if (early_.back()) kept.push_back(1e-9 * static_cast<double>(b.consumed - b.there()));
      latest = first ? b.there() : std::max(latest, b.there());
    }
    r_.out_of_order = kept.size();
    r_.kept = distribution_of(std::move(kept), how_.limits);
    auto next = std::numeric_limits<std::int64_t>::max();  // the earliest time at which a later batch was there
    for (std::size_t i = all_.size(); i-- != 0;) {
      const auto& b = *all_[i];
      if (i + 1 == all_.size() || pass_of(*all_[i + 1]) != pass_of(b)) next = std::numeric_limits<std::int64_t>::max();
      if (const auto from = std::max(b.asked, next), to = std::min(b.had, b.there()); from < to)
        r_.waited_for_order += 1e-9 * static_cast<double>(to - from);
      if (const auto from = std::max(b.asked, b.ready); !early_[i] && from < b.had)
        r_.waited_for_arrival += 1e-9 * static_cast<double>(b.had - from);
      next = std::min(next, b.there());
    }
  }
  void bound() {
    for (std::size_t i = 0; i != all_.size();) {
      auto from = std::numeric_limits<std::int64_t>::max(), to = std::numeric_limits<std::int64_t>::min();
      const auto pass = pass_of(*all_[i]);
      for (; i != all_.size() && pass_of(*all_[i]) == pass; ++i) {
        const auto& b = *all_[i];
        // a log may note for an early batch, in place of the request, when it arrived
        from = std::min(from, early_[i] ? b.consumed : b.asked);
        to = std::max({to, b.had, b.consumed, b.released});
      }
      r_.seconds += 1e-9 * static_cast<double>(to - from);
    }
    if (r_.batches == 0) {
      r_.verdict = "there are no batches";
      return;
    }
    std::set<std::string_view> consumers;  // who wait at the same time
    for (const auto* b : all_) consumers.insert(b->consumer);
    const double waiting = r_.seconds * static_cast<double>(consumers.size());
    r_.waited_share = waiting > 0 ? std::min(r_.wait.total() / waiting, 1.0) : 0;
    r_.producer_bound = r_.waited_share >= r_.bound;
    const auto waited =
        (consumers.size() > 1 ? "the " + std::to_string(consumers.size()) + " consumers" : "the consumer") +
        " waited in " + percent_text(r_.waited_share) + (consumers.size() > 1 ? " of their time" : " of the time");
    r_.verdict = r_.producer_bound
                     ? "producer-bound: " + waited +
                           (r_.waited_share < 0.99 ? "; if every batch were ready it would be " +
                                                         short_text(1 / (1 - r_.waited_share)) + " times as fast"
                                                   : "")
                     : "consumer-bound: " + waited + ", and a finished batch lay there for " +
                           time_text(r_.delay.mean) + " on average";
    if (!r_.producer_bound) return;
    const auto of_waiting = [&](double seconds, const std::string& what) {
      const double share = seconds / r_.wait.total();
      if (share < 0.1) return false;
      r_.verdict += "; in " + percent_text(share) + " of its waiting " + what;
      return true;
    };
    if (!of_waiting(r_.waited_for_arrival, "the batch was ready, but had not arrived"))
      of_waiting(r_.waited_for_order, "a later batch was there, but not this one");
  }
  void variance() {
    std::vector<std::vector<weighted_number>> elements(of_.operators.size());
    std::vector<std::uint64_t> count(of_.operators.size());
    std::uint64_t size = 0, timed = 0;
    for (const auto* b : all_) {
      std::vector<std::uint64_t> seen(of_.operators.size());
      for (const auto& e : b->elements) {
        const auto n = static_cast<double>(e.elements);
        elements[e.operation].push_back({e.seconds / n, n * e.weight});
        seen[e.operation] += e.elements;
        count[e.operation] += e.elements;
      }
      size += b->size;
      if (!seen.empty()) timed += std::min(*std::max_element(seen.begin(), seen.end()), b->size);
    }
    r_.timed_share = size == 0 ? 0 : static_cast<double>(timed) / static_cast<double>(size);
    const auto shares = shares_of_variance();
    for (std::size_t k = 0; k != of_.operators.size(); ++k) {
      if (elements[k].empty()) continue;
      operator_times o;
      o.name = of_.operators[k];
      for (const auto& e : elements[k]) o.total_seconds += e.value * e.weight;
      o.seconds = weighted_distribution(std::move(elements[k]), how_.limits);
      o.seconds.count = count[k];
      o.explains = shares[k];
      r_.operators.push_back(std::move(o));
    }
  }
  /// Of each operator.
  std::vector<double> shares_of_variance() {
    std::vector<double> shares(of_.operators.size());
    if (whole_.size() < r_.least_for_variance) return shares;
    const auto preparation = preparations();
    std::vector<std::vector<double>> by_operator(shares.size(), std::vector<double>(whole_.size()));
    std::vector<double> sum(whole_.size()), slowest(whole_.size());
    for (std::size_t i = 0; i != whole_.size(); ++i)
      for (const auto& e : whole_[i]->elements) {
        by_operator[e.operation][i] += e.seconds;
        sum[i] += e.seconds;
        slowest[i] = std::max(slowest[i], e.seconds);
      }
    r_.explained = explained_by(sum, preparation);
    r_.explained_by_slowest = explained_by(slowest, preparation);
    const double together = covariance(sum, preparation);
    if (!(together > 0)) return shares;
    explained_each_ = r_.explained / together;
    for (std::size_t k = 0; k != shares.size(); ++k)
      shares[k] = explained_each_ * covariance(by_operator[k], preparation);
    // where operators cancel, their sum varies less than each of them
    if (std::any_of(shares.begin(), shares.end(), [](double x) { return std::abs(x) > 1 + 1e-9; })) {
      explained_each_ = 0;
      shares.assign(shares.size(), 0);
    }
    return shares;
  }
  void worst() {
    auto batches = whole_;
    const auto n = std::min(how_.worst, batches.size());
    std::partial_sort(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(n), batches.end(),
                      [](const auto* a, const auto* b) { return a->ready - a->begun > b->ready - b->begun; });
    for (std::size_t i = 0; i != n; ++i) {
      const auto& b = *batches[i];
      r_.worst.push_back({b.epoch, b.index, b.worker, b.preparation(), b.wait(), b.delay(),
                          slowest_of(timed_elements({&b}), of_, how_.worst)});
    }
    r_.slowest = slowest_of(by_name(timed_elements(all_), of_), of_, how_.worst, explained_each_);
  }

  const batch_log& of_;
  const batch_report_options& how_;
  const std::vector<const batch_record*> all_;
  std::vector<const batch_record*> whole_{};  ///< those whose preparation is known
  std::vector<bool> early_;
  double explained_each_ = 0;  ///< of the variance, for each second squared of covariance with the preparation
  batch_report r_;
};

}  // namespace detail

PLUMBLINE_INLINE batch_report report(const batch_log& of, const batch_report_options& how) {
  return detail::batch_evaluation(of, how).result();
}

}  // namespace plumbline
