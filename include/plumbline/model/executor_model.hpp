#pragma once
/// executor_model: the executor (docs/design.md) as a discrete-event model: lines of a feeder, stages and a port with
/// credits, on cores that all parts share and I/O threads that the blocking ones share; event by event.
///
/// What is modelled: serial feeders; stages with limited parallelism whose queue is taken up in order; order kept at
/// ports; a message as a credit; messages of different size in different lines; costs that scatter; epochs, each begun
/// when the consumer has seen the end of the last. What is not: memory bandwidth, caches of the processor, threads of
/// others.

#include <plumbline/model/simulated_processors.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace plumbline::detail {

class executor_model {
 public:
  explicit executor_model(const simulation& s) : s_(s), processors_(s) {
    for (const auto& line : s.lines) {
      for (const auto from : line.inputs) lines_[from].taker = lines_.size();
      lines_.push_back({.credits = line.credits, .held = std::vector<double>(line.inputs.size())});
      if (const double n = std::max(std::ceil(s.epoch * line.messages - 1e-9), 1.0); s.epoch > 0 && n < 0x1p53)
        lines_.back().epoch = static_cast<std::uint64_t>(n);
      lines_.back().wanted = lines_.back().epoch;
      lines_.back().stations.resize(line.parts.size());
    }
  }

  /// Messages of the last line in an epoch; as good as endless where none ends.
  double epoch() const { return static_cast<double>(lines_.back().epoch); }
  const simulated_processors& processors() const { return processors_; }
  simulated_processors& processors() { return processors_; }
  double taken() const { return taken_; }  ///< messages that the consumer took
  /// Until something is done. False: nothing ever will be.
  bool step() {
    if (!std::exchange(started_, true)) {
      for (std::size_t l = 0; l != lines_.size(); ++l) wake_feeder(l);
      consume();
      start();
    }
    const auto t = processors_.done();
    if (t) finish(*t), start();
    return t.has_value();
  }

 private:
  struct station {
    std::deque<std::uint64_t> queue{};  ///< messages that wait for a place
    std::size_t at_work = 0;            ///< messages that have one, whether or not they have a core yet
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
  using task = simulated_processors::task;

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
      const auto& feeder = given.parts.front();
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
    while (!st.queue.empty() && st.at_work < std::max<std::size_t>(s_.lines[l].parts[p].parallelism, 1)) {
      ++st.at_work;
      processors_.ask({l, p, st.queue.front()});
      st.queue.pop_front();
    }
  }
  void start() {
    while (!woken_.empty()) {
      const auto l = woken_.front();
      woken_.pop_front();
      wake_feeder(l);
    }
    processors_.start();
  }
  void finish(const task& t) {
    if (t.line == simulated_processors::consumer) {
      consuming_ = false;
      begin_epoch();
      return consume();
    }
    auto& line = lines_[t.line];
    --line.stations[t.part].at_work;
    if (t.part == 0) {
      line.feeding = false;
      woken_.push_back(t.line);
    }
    admit(t.line, t.part);
    arrive(t.line, t.part + 1, t.message);
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
      processors_.consume(s_.consumer_seconds / s_.lines.back().messages);
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
  simulated_processors processors_;
  std::vector<lane> lines_{};
  std::deque<std::size_t> woken_{};
  double taken_ = 0;
  bool started_ = false, consuming_ = false;
};

}  // namespace plumbline::detail
