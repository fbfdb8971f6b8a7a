#pragma once
/// executor_model: a discrete-event model of the executor (docs/design.md): segments of a producer, stages and a
/// channel with credits, on cores shared by all parts and I/O threads shared by the blocking ones.
///
/// Modelled: serial producers; stages with limited parallelism and first-in first-out queues; ordered channels; a
/// message as a credit; message sizes that differ between segments; random variation of costs; epochs, each started
/// when the consumer has seen the end of the last. Not modelled: memory bandwidth, processor caches, threads of other
/// programs.

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
    for (const auto& segment : s.segments) {
      for (const auto from : segment.inputs) segments_[from].downstream = segments_.size();
      segments_.push_back({.credits = segment.credits, .held = std::vector<double>(segment.inputs.size())});
      if (const double n = std::max(std::ceil(s.epoch * segment.messages - 1e-9), 1.0); s.epoch > 0 && n < 0x1p53)
        segments_.back().epoch = static_cast<std::uint64_t>(n);
      segments_.back().wanted = segments_.back().epoch;
      segments_.back().stations.resize(segment.parts.size());
    }
  }

  /// Messages of the last segment per epoch; practically infinite if epochs do not end.
  double epoch() const { return static_cast<double>(segments_.back().epoch); }
  const simulated_processors& processors() const { return processors_; }
  simulated_processors& processors() { return processors_; }
  double taken() const { return taken_; }  ///< messages that the consumer took
  /// Runs until the next task completes. Returns false if none ever will.
  bool step() {
    if (!std::exchange(started_, true)) {
      for (std::size_t l = 0; l != segments_.size(); ++l) wake_producer(l);
      consume();
      start();
    }
    const auto t = processors_.done();
    if (t) finish(*t), start();
    return t.has_value();
  }

 private:
  struct station {
    std::deque<std::uint64_t> queue{};  ///< messages that wait for a slot
    std::size_t at_work = 0;            ///< messages that have a slot, with or without a core
  };
  struct lane {
    std::vector<station> stations{};
    std::size_t credits = 0, downstream = ~std::size_t{0};
    std::vector<double> held;                         ///< by input: what was taken and is not yet used, in messages
    std::uint64_t epoch = endless, wanted = endless;  ///< messages per epoch; where to stop for now
    std::uint64_t next = 0;                           ///< next sequence number
    std::uint64_t in_order = 0;
    std::vector<std::uint64_t> early{};  ///< messages that arrived out of order
    double ready = 0;                    ///< messages in order, not yet taken
    bool feeding = false;
  };
  using task = simulated_processors::task;

  /// Starts messages while the producer has a credit and its input.
  void wake_producer(std::size_t l) {
    auto& segment = segments_[l];
    while (!segment.feeding && segment.credits > 0 && segment.next != segment.wanted) {
      const auto& given = s_.segments[l];
      for (std::size_t i = 0; i != given.inputs.size(); ++i) {
        auto& from = segments_[given.inputs[i]];
        const double need = s_.segments[given.inputs[i]].messages / given.messages;
        while (segment.held[i] < need - 1e-9 && from.ready >= 1) {
          --from.ready;
          ++segment.held[i];
          give_back(given.inputs[i]);
        }
        if (segment.held[i] < need - 1e-9) {
          if (from.in_order != from.wanted || from.ready > 0) return;
          segment.held[i] = need;  // the last message of an epoch takes what is left
        }
      }
      for (std::size_t i = 0; i != given.inputs.size(); ++i)
        segment.held[i] -= s_.segments[given.inputs[i]].messages / given.messages;
      --segment.credits;
      const auto& producer = given.parts.front();
      if (producer.seconds <= 0 && producer.blocked_seconds <= 0) {  // indices only
        arrive(l, 1, segment.next++);
        continue;
      }
      segment.feeding = true;
      arrive(l, 0, segment.next++);
    }
  }
  void give_back(std::size_t l) {
    ++segments_[l].credits;
    woken_.push_back(l);
  }
  /// Delivers a message to part p of a segment or, past the last part, to its channel.
  void arrive(std::size_t l, std::size_t p, std::uint64_t m) {
    auto& segment = segments_[l];
    if (p == segment.stations.size()) {
      segment.early.push_back(m);
      std::push_heap(segment.early.begin(), segment.early.end(), std::greater<>{});
      while (!segment.early.empty() && segment.early.front() == segment.in_order) {
        std::pop_heap(segment.early.begin(), segment.early.end(), std::greater<>{});
        segment.early.pop_back();
        ++segment.in_order;
        ++segment.ready;
      }
      if (segment.downstream != ~std::size_t{0})
        woken_.push_back(segment.downstream);
      else
        consume();
      return;
    }
    auto& st = segment.stations[p];
    st.queue.push_back(m);
    admit(l, p);
  }
  void admit(std::size_t l, std::size_t p) {
    auto& st = segments_[l].stations[p];
    while (!st.queue.empty() && st.at_work < std::max<std::size_t>(s_.segments[l].parts[p].parallelism, 1)) {
      ++st.at_work;
      processors_.ask({l, p, st.queue.front()});
      st.queue.pop_front();
    }
  }
  void start() {
    while (!woken_.empty()) {
      const auto l = woken_.front();
      woken_.pop_front();
      wake_producer(l);
    }
    processors_.start();
  }
  void finish(const task& t) {
    if (t.segment == simulated_processors::consumer) {
      consuming_ = false;
      begin_epoch();
      return consume();
    }
    auto& segment = segments_[t.segment];
    --segment.stations[t.part].at_work;
    if (t.part == 0) {
      segment.feeding = false;
      woken_.push_back(t.segment);
    }
    admit(t.segment, t.part);
    arrive(t.segment, t.part + 1, t.message);
  }
  void consume() {
    auto& last = segments_.back();
    while (!consuming_ && last.ready >= 1) {
      --last.ready;
      ++taken_;
      give_back(segments_.size() - 1);
      if (s_.consumer_seconds <= 0) {
        begin_epoch();
        continue;
      }
      consuming_ = true;
      processors_.consume(s_.consumer_seconds / s_.segments.back().messages);
    }
  }

  /// Starts the next epoch once the consumer has taken all of this one.
  void begin_epoch() {
    if (static_cast<double>(segments_.back().wanted) != taken_) return;
    for (std::size_t l = 0; l != segments_.size(); ++l) {
      auto& segment = segments_[l];
      for (auto& rest : segment.held) rest = 0;
      for (; segment.ready >= 1; --segment.ready) ++segment.credits;
      segment.wanted += segment.epoch;
      woken_.push_back(l);
    }
  }

  static constexpr std::uint64_t endless = ~std::uint64_t{0};
  const simulation& s_;
  simulated_processors processors_;
  std::vector<lane> segments_{};
  std::deque<std::size_t> woken_{};
  double taken_ = 0;
  bool started_ = false, consuming_ = false;
};

}  // namespace plumbline::detail
