#pragma once
/// simulate: a discrete-event model of the executor (docs/design.md): lines of a feeder, stages and a port with
/// credits, on cores that all parts share and I/O threads that the blocking ones share. It tells what a plan would give
/// on a machine of any size, from costs that were measured here.
///
/// What is modelled: serial feeders; stages with limited parallelism whose queue is taken up in order; order kept at
/// ports; a message as a credit; messages of different size in different lines; costs that scatter; epochs, each begun
/// when the consumer has seen the end of the last. What is not: memory bandwidth, caches of the processor, threads of
/// others.

#include <plumbline/model/simulation.hpp>

#include <deque>
#include <queue>
#include <random>

namespace plumbline {

namespace detail {

class executor_model {
 public:
  explicit executor_model(const simulation& s) : s_(s), random_(s.seed), free_cores_(s.cores), free_io_(s.io_threads) {
    const double v = std::log1p(s.variation * s.variation);
    scatter_ = std::lognormal_distribution<>(-v / 2, std::sqrt(v));
    for (const auto& line : s.lines) {
      for (const auto from : line.inputs) lines_[from].taker = lines_.size();
      lines_.push_back({.credits = line.credits, .held = std::vector<double>(line.inputs.size())});
      if (const double n = std::max(std::ceil(s.epoch * line.messages - 1e-9), 1.0); s.epoch > 0 && n < 0x1p53)
        lines_.back().epoch = static_cast<std::uint64_t>(n);
      lines_.back().wanted = lines_.back().epoch;
      for (const auto& p : line.parts) lines_.back().stations.push_back({.part = &p});
    }
  }

  simulated_run run(double minibatches) {
    const auto epoch = static_cast<double>(lines_.back().epoch);
    double wanted = std::max(minibatches * s_.lines.back().messages, 40.0), warm = wanted / 4;
    const bool whole = epoch <= 16 * wanted;  // epochs
    if (whole) {
      warm = epoch;
      wanted = epoch * std::ceil(wanted / epoch);
    }
    double began = 0, taken_then = 0;
    for (std::size_t l = 0; l != lines_.size(); ++l) wake_feeder(l);
    consume();
    start_ready();
    while (taken_ < wanted + warm && !events_.empty()) {
      const auto e = events_.top();
      events_.pop();
      advance(e.at);
      finish(e);
      start_ready();
      if (began == 0 && taken_ >= warm) {
        began = now_;
        taken_then = taken_;
        busy_time_ = 0;
        for (auto& l : lines_)
          for (auto& st : l.stations) st.busy_time = 0;
      }
    }
    simulated_run r;
    const double time = now_ - began;
    if (!(time > 0)) return r;
    r.rate = (taken_ - taken_then) * (whole ? s_.epoch / epoch : 1 / s_.lines.back().messages) / time;
    r.cores_busy = busy_time_ / time;
    for (const auto& l : lines_) {
      r.busy.emplace_back();
      for (const auto& st : l.stations) r.busy.back().push_back(st.busy_time / time);
    }
    return r;
  }

 private:
  struct station {
    const simulated_part* part;
    std::deque<std::uint64_t> queue{};  ///< messages that wait for a place
    std::size_t at_work = 0;            ///< messages that have one, whether or not they have a core yet
    double busy_time = 0;
    std::size_t running = 0;
  };
  struct lane {
    std::vector<station> stations{};
    std::size_t credits = 0, taker = ~std::size_t{0};
    std::vector<double> held;  ///< by input, what is left of the message being taken, in messages of that line
    std::uint64_t epoch = endless, wanted = endless;  ///< messages in one; up to which one they are wanted
    std::uint64_t next = 0;                           ///< sequence number
    std::uint64_t in_order = 0;
    std::vector<std::uint64_t> early{};  ///< arrived before their turn
    double ready = 0;                    ///< in order and not taken
    bool feeding = false;
  };
  enum class kind { blocked, done, consumed };
  struct event {
    double at;
    kind what;
    std::size_t line, part;
    std::uint64_t message;
    bool operator>(const event& o) const { return at > o.at; }
  };
  struct task {
    std::size_t line, part;
    std::uint64_t message;
  };

  void advance(double to) {
    const double step = to - now_;
    busy_time_ += step * static_cast<double>(s_.cores - free_cores_);
    for (auto& l : lines_)
      for (auto& st : l.stations) st.busy_time += step * static_cast<double>(st.running);
    now_ = to;
  }
  double scattered(double seconds) { return s_.variation > 0 ? seconds * scatter_(random_) : seconds; }

  /// Does the feeder have a credit, and what it takes from?
  void wake_feeder(std::size_t l) {
    auto& line = lines_[l];
    while (!line.feeding && line.credits > 0 && line.next != line.wanted) {
      const auto& given = s_.lines[l];
      for (std::size_t i = 0; i != given.inputs.size(); ++i) {
        auto& from = lines_[given.inputs[i]];
        const double need = s_.lines[given.inputs[i]].messages / given.messages;
        while (line.held[i] < need - 1e-9 && from.ready >= 1) {
          --from.ready;
          ++line.held[i];
          give_back(given.inputs[i]);
        }
        if (line.held[i] < need - 1e-9) {
          if (from.in_order != from.wanted || from.ready > 0) return;
          line.held[i] = need;  // the last of an epoch takes what there is
        }
      }
      for (std::size_t i = 0; i != given.inputs.size(); ++i)
        line.held[i] -= s_.lines[given.inputs[i]].messages / given.messages;
      --line.credits;
      const auto& feeder = *line.stations.front().part;
      if (feeder.seconds <= 0 && feeder.blocked_seconds <= 0) {  // numbers only
        arrive(l, 1, line.next++);
        continue;
      }
      line.feeding = true;
      arrive(l, 0, line.next++);
    }
  }
  void give_back(std::size_t l) {
    ++lines_[l].credits;
    woken_.push_back(l);
  }
  /// A message comes to part p of a line, or, past the last, to its port.
  void arrive(std::size_t l, std::size_t p, std::uint64_t m) {
    auto& line = lines_[l];
    if (p == line.stations.size()) {
      line.early.push_back(m);
      std::push_heap(line.early.begin(), line.early.end(), std::greater<>{});
      while (!line.early.empty() && line.early.front() == line.in_order) {
        std::pop_heap(line.early.begin(), line.early.end(), std::greater<>{});
        line.early.pop_back();
        ++line.in_order;
        ++line.ready;
      }
      if (line.taker != ~std::size_t{0})
        woken_.push_back(line.taker);
      else
        consume();
      return;
    }
    auto& st = line.stations[p];
    st.queue.push_back(m);
    admit(l, p);
  }
  void admit(std::size_t l, std::size_t p) {
    auto& st = lines_[l].stations[p];
    while (!st.queue.empty() && st.at_work < std::max<std::size_t>(st.part->parallelism, 1)) {
      ++st.at_work;
      (st.part->blocks ? ready_io_ : ready_).push_back({l, p, st.queue.front()});
      st.queue.pop_front();
    }
  }
  void start_ready() {
    for (;;) {
      if (!woken_.empty()) {
        const auto l = woken_.front();
        woken_.pop_front();
        wake_feeder(l);
      } else if (free_io_ > 0 && !ready_io_.empty()) {
        const auto t = ready_io_.front();
        ready_io_.pop_front();
        --free_io_;
        const auto& part = *lines_[t.line].stations[t.part].part;
        begin(t, kind::blocked, scattered(part.blocked_seconds));
      } else if (free_cores_ > 0 && !ready_.empty()) {
        const auto t = ready_.front();
        ready_.pop_front();
        --free_cores_;
        begin(t, kind::done, scattered(lines_[t.line].stations[t.part].part->seconds));
      } else {
        return;
      }
    }
  }
  void begin(const task& t, kind k, double seconds) {
    if (!lines_[t.line].stations[t.part].part->blocks || k == kind::blocked) ++lines_[t.line].stations[t.part].running;
    events_.push({now_ + seconds, k, t.line, t.part, t.message});
  }
  void finish(const event& e) {
    if (e.what == kind::consumed) {
      consuming_ = false;
      begin_epoch();
      return consume();
    }
    auto& line = lines_[e.line];
    auto& st = line.stations[e.part];
    if (e.what == kind::blocked && st.part->seconds > 0) {  // the data are there: now they take a core
      ready_.push_back({e.line, e.part, e.message});
      return;
    }
    if (e.what == kind::done) ++free_cores_;
    if (st.part->blocks) ++free_io_;
    --st.running;
    --st.at_work;
    if (e.part == 0) {
      line.feeding = false;
      woken_.push_back(e.line);
    }
    admit(e.line, e.part);
    arrive(e.line, e.part + 1, e.message);
  }
  void consume() {
    auto& last = lines_.back();
    while (!consuming_ && last.ready >= 1) {
      --last.ready;
      ++taken_;
      give_back(lines_.size() - 1);
      if (s_.consumer_seconds <= 0) {
        begin_epoch();
        continue;
      }
      consuming_ = true;
      events_.push({now_ + s_.consumer_seconds / s_.lines.back().messages, kind::consumed, 0, 0, 0});
    }
  }

  /// The next, when the consumer is done with all of this one.
  void begin_epoch() {
    if (static_cast<double>(lines_.back().wanted) != taken_) return;
    for (std::size_t l = 0; l != lines_.size(); ++l) {
      auto& line = lines_[l];
      for (auto& rest : line.held) rest = 0;
      for (; line.ready >= 1; --line.ready) ++line.credits;
      line.wanted += line.epoch;
      woken_.push_back(l);
    }
  }

  static constexpr std::uint64_t endless = ~std::uint64_t{0};
  const simulation& s_;
  std::mt19937_64 random_;
  std::lognormal_distribution<> scatter_;
  std::vector<lane> lines_;
  std::size_t free_cores_, free_io_;
  std::deque<task> ready_, ready_io_;
  std::deque<std::size_t> woken_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  double now_ = 0, taken_ = 0, busy_time_ = 0;
  bool consuming_ = false;
};

}  // namespace detail

/// Runs the model for so many minibatches, at least for 40 messages, after a warm-up of a quarter of them; or, where an
/// epoch is at most 16 times that, for whole epochs, after one. O(messages x (parts + log messages)). Throws
/// std::invalid_argument as check does.
inline simulated_run simulate(const simulation& s, double minibatches = 200) {
  check(s);
  return detail::executor_model(s).run(minibatches);
}

}  // namespace plumbline
