#pragma once
/// live_look: one decision of decide_live.

#include <plumbline/model/live_bottleneck.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

namespace plumbline::detail {

/// One look.
class live_look : live_bottleneck {
 public:
  using live_bottleneck::live_bottleneck;
  live_step take() {
    if (count_ == 0) return nothing_came();
    if (too_little()) return std::move(step_);
    auto no_caches = goal{};
    no_caches.cache_sites.emplace();
    auto have = budget_.have;
    have.memory = infinite;  // what is in flight is counted below
    // upstream of a cache counts what was made now: everything while it is filled, nothing once it is full
    auto now = seen_;
    for (auto& row : now.operators) row.replays = false;
    try {
      made_ = make_plan(now, have, no_caches, {}, &step_.next.basis);
    } catch (const std::exception&) {
      return std::move(step_);
    }
    step_.enough = true;
    auto& next = step_.next;
    if (next.recent_seconds > 4) next.recent_count /= 2, next.recent_seconds /= 2;
    next.recent_count += count_, next.recent_seconds += seen_.wall_seconds;
    for (auto& s : next.served)  // of its first look, much was begun before
      if (next.at < s.until) s.rate = next.recent_rate();
    if (!judge() && waited_ > consumer_waits) raise();
    fit_memory();
    shorter_messages();
    step_.rate = rate_;
    if (!step_.changes.empty()) next.recent_count = next.recent_seconds = 0;
    step_.bottleneck = bottleneck();
    step_.in_flight = bytes_in_flight(seen_, made_, limits());
    return std::move(step_);
  }

 private:
  /// With other programs on the cores, a part seems to wait now and then.
  static constexpr int looks_to_wait = 2, looks_if_unsure = 8, looks_to_compute = 4;
  static constexpr double consumer_waits = 0.02;  ///< of the time; less: nothing would be faster
  static constexpr double worse = 0.95, no_better = 1.03, other_cost = 1.15, few_cores = 0.1, much_longer = 3;
  static constexpr double few = 4, enough_to_judge = 8, long_enough = 2;  ///< messages; elements; seconds
  /// What a part costs is known from a few messages; whether a change was good, from more elements of the stream.
  bool too_little() const {
    if (seen_.wall_seconds >= long_enough) return false;
    if (step_.next.trying && count_ < enough_to_judge) return true;
    return std::any_of(seen_.parts.begin(), seen_.parts.end(), [](const part_counters& p) {
      return !p.serial && p.cpu_seconds > 0 && static_cast<double>(p.messages) < few;
    });
  }
  /// No element came: a few messages at a time may take that long, so each part gets twice as many.
  live_step nothing_came() {
    if (seen_.wall_seconds < long_enough / 2 || waited_ < 0.9) return std::move(step_);
    bool raised = false;
    for (auto& p : limits().parts) {
      if (p.serial || p.stated || p.waits || p.at_once >= limits().threads) continue;
      p.at_once = std::min(2 * p.at_once, limits().threads);
      raised = true;
    }
    step_.enough = raised;
    if (raised) log("each part: twice as many at a time", "no element came in " + time_text(seen_.wall_seconds));
    return std::move(step_);
  }

  /// Ends the trial of the last change. True if it was undone.
  bool judge() {
    const auto tried = std::exchange(step_.next.trying, std::nullopt);
    // a consumer that works for most of the time sets the rate itself
    if (!tried || std::min(waited_, tried->waited) < 0.5) return false;
    const double now = made_.rates.cpu_seconds, then = tried->seconds_each;
    if (std::max(now, then) * std::max(rate_, tried->rate) > few_cores * budget_.have.cores) {  // else cores are free
      if (now > other_cost * then || then > other_cost * now) return false;  // other work: nothing to compare
      if (run_delay_ratio(seen_) > tried->run_delay + 0.1) return false;     // other programs took cores
    }
    for (std::size_t i = 0; i != limits().parts.size(); ++i) {  // nor if what it waits for has become slower by itself
      const auto& p = limits().parts[i];
      const auto by = static_cast<double>(p.at_once) / static_cast<double>(tried->before.parts[i].at_once);
      if (p.waits && tried->wall[i] > 0 && wall_of(p) > 1.5 * std::max(by, 1.0) * tried->wall[i]) return false;
    }
    const double most = rate_ * (1 + 1.5 / count_);  // as elements of the stream are whole
    const bool hurts = most < worse * tried->rate, useless = tried->more_waits && most < no_better * tried->rate;
    if (!hurts && !useless) return tried->more_waits && serves_fewer(*tried);
    for (std::size_t i = 0; i != limits().parts.size(); ++i) {
      auto& p = limits().parts[i];
      const auto& was = tried->before.parts[i];
      if (p.at_once == was.at_once && p.waits == was.waits) continue;
      log(name_of(p) + ": " + std::to_string(p.at_once) + " -> " + std::to_string(was.at_once) + " at a time",
          std::string("undone: ") + (hurts ? "slower" : "no faster") + " than the " + number_text(tried->rate) +
              " a second before");
      p.at_once = was.at_once;
      p.waits = was.waits;
      step_.next.refused[i] = tried->wall[i];
      if (p.waits && wall_of(p) > much_longer * tried->wall[i]) serves(i);
    }
    return true;
  }
  /// What the part asks serves no more at a time.
  void serves(std::size_t i) {
    auto& s = step_.next.served[i];
    s.rate = rate_;
    s.wait = std::clamp(2 * s.wait, 4.0, 64.0);
    s.until = step_.next.at + s.wait;
  }
  /// What a part asks may serve only a few at a time: then more of them wait for longer, and are not served faster. It
  /// gets as many as it needs if each waits no longer than before.
  bool serves_fewer(const live_state::trial& tried) {
    bool lowered = false;
    for (std::size_t i = 0; i != limits().parts.size(); ++i) {
      auto& p = limits().parts[i];
      const double wall = wall_of(p), before = tried.wall[i], need = rate_ * before;
      if (!p.waits || p.stated || !(before > 0) || wall < much_longer * before) continue;
      const auto target = std::max(with_headroom(need, io_most()), tried.before.parts[i].at_once);
      if (3 * target > 2 * p.at_once) continue;
      log(name_of(p) + ": " + std::to_string(p.at_once) + " -> " + std::to_string(target) + " at a time",
          "an element waits " + time_text(wall) + " in it, and with fewer at a time " + time_text(before) + "; " +
              number_text(rate_) + " a second need " + number_text(need, "%.3g"));
      p.at_once = target;
      serves(i);
      lowered = true;
    }
    return lowered;
  }
  bool refused(std::size_t i, double wall) const {
    const auto alike = [](double then, double now) { return then > 0 && now < 1.5 * then && then < 1.5 * now; };
    const auto& served = step_.next.served[i];
    return alike(step_.next.refused[i], wall) || step_.next.at < served.until ||
           alike(served.rate, step_.next.recent_rate());
  }

  /// True if what the part's operators waited can only be waiting: they waited for longer than they computed even if
  /// all the time that the run's threads were without a core was theirs. The plan takes each operator's share of that
  /// time off, but when other programs have the cores it comes in slices of some ms, which fall into one part or
  /// another.
  bool surely_waits(const part_limit& p) const {
    double waited = 0, computed = 0;
    for (const auto number : p.operators) {
      const auto& c = seen_.counters[number - 1];
      if (c.wall_seconds < 2 * c.cpu_seconds) continue;
      waited += c.wall_seconds - c.cpu_seconds;
      computed += c.cpu_seconds;
    }
    return waited - seen_.run_delay_seconds > computed;
  }
  int looks_to_move(const part_limit& p) const {
    return p.waits ? looks_to_compute : surely_waits(p) ? looks_to_wait : looks_if_unsure;
  }

  /// Parallelism by the plan.
  void raise() {
    const auto before = limits();
    bool computes = false, waits = false;
    for (std::size_t i = 0; i != limits().parts.size(); ++i) {
      auto& p = limits().parts[i];
      const auto at = planned(p);
      auto& looks = step_.next.elsewhere[i];
      if (at == made_.demand.parts.size()) looks = 0;  // it does nothing now
      if (p.serial || p.stated || at == made_.demand.parts.size()) continue;
      const auto& best = made_.best.parts[at];
      looks =
          best.blocks == p.waits || !p.movable || budget_.places_stated || budget_.have.io_threads < 1 ? 0 : looks + 1;
      if (best.blocks != p.waits && looks < looks_to_move(p)) continue;
      const bool moves = best.blocks && !p.waits;
      if (p.waits && !best.blocks) {
        log(name_of(p) + ": on compute threads", "it computes for most of its time", made_.best.rate);
        p.waits = false;
        p.at_once = limits().threads;
        looks = 0;
        continue;
      }
      // more than the consumer takes is of no use
      const double wanted_rate = std::min(made_.best.rate, best.blocks ? 1.2 * consumer_most() : infinite);
      const double need = best.blocks ? made_.share.at_once[at] * wanted_rate / made_.best.rate : best.cores;
      if (best.blocks && !(need > 0)) continue;  // it took no time; the plan's number is for filling a cache
      // a limit of threads or more is none
      const auto target = !best.blocks ? std::min(best.parallelism, limits().threads)
                                       : std::min({best.parallelism, with_headroom(need, io_most()), messages_for(i)});
      if (moves && io_most() < std::min(p.at_once, limits().threads)) {  // stated: fewer than it has now
        looks = 0;
        continue;
      }
      const bool more = target > p.at_once && (static_cast<double>(p.at_once) < need || 2 * target >= 3 * p.at_once);
      if ((!more && !moves) || refused(i, wall_of(p))) {
        if (moves) looks = 0;
        continue;
      }
      const double wall = wall_of(p);
      std::string why = best.blocks ? "an element waits " + time_text(wall) + " in it; "
                                    : "an element takes it " + time_text(wall) + " of a core; ";
      why += number_text(wanted_rate) + " a second need " + number_text(need, "%.3g") + " at a time";
      log(name_of(p) + ": " + std::to_string(p.at_once) + " -> " + std::to_string(std::max(target, p.at_once)) +
              " at a time" + (moves ? ", on I/O threads" : ""),
          std::move(why), wanted_rate);
      (best.blocks ? waits : computes) = true;
      p.at_once = std::max(target, p.at_once);
      p.waits = best.blocks;
    }
    if (!computes && !waits) return;
    std::size_t io = 0;
    for (const auto& p : limits().parts) io += p.waits ? p.at_once : 0;
    io = std::min(io, io_most());
    if (io > limits().io_threads) {
      log("I/O threads: " + std::to_string(limits().io_threads) + " -> " + std::to_string(io),
          "so many messages may wait at a time");
      limits().io_threads = io;
    }
    step_.next.trying =
        live_state::trial{before, rate_, made_.rates.cpu_seconds, waited_, run_delay_ratio(seen_), walls(), !computes};
  }
};

}  // namespace plumbline::detail
