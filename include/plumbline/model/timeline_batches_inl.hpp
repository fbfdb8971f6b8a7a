#pragma once
/// Definitions of model/timeline_batches.hpp.

#include <plumbline/model/message_paths.hpp>
#include <plumbline/model/timeline_batches.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace plumbline {

namespace detail {

class batch_maker {
 public:
  explicit batch_maker(const timeline& of) : of_(of), paths_(of) {}
  batch_log result() {
    for (const auto& name : of_.operators) log_.operators.push_back(name);
    log_.names = of_.names;
    log_.dropped = of_.dropped;
    passes();
    for (std::size_t i = 0; i != of_.fetches.size(); ++i) add(i);
    releases();
    elements();
    return std::move(log_);
  }

 private:
  using key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  ///< epoch, pass and position
  /// Which pass through its epoch each fetch and call belongs to. The events do not say, but in a pass positions only
  /// increase, and a call follows its fetch.
  void passes() {
    std::map<std::uint64_t, std::uint64_t> begun;  // how often, by epoch
    const fetch_record* before = nullptr;
    auto call = of_.calls.begin();
    const auto calls_until = [&](std::int64_t end) {
      for (; call != of_.calls.end() && call->had < end; ++call)
        if (before != nullptr) calls_[{call->epoch, passes_.back(), call->position}] = &*call;
    };
    for (const auto& f : of_.fetches) {
      calls_until(f.had);
      if (before == nullptr || f.epoch != before->epoch || f.first - f.skipped < before->first + before->elements)
        ++begun[f.epoch];
      passes_.push_back(begun[f.epoch] - 1);
      before = &f;
    }
    calls_until(std::numeric_limits<std::int64_t>::max());
  }
  /// When the consumer asked for what fetch i gave: it may have fetched messages before that it passed over whole.
  std::int64_t asked(std::size_t i) const {
    const auto passed_over = [&](const fetch_record& f, const fetch_record& next) {
      return f.elements == 0 && f.skipped != 0 && f.epoch == next.epoch && f.first == next.first - next.skipped;
    };
    while (i != 0 && passed_over(of_.fetches[i - 1], of_.fetches[i])) --i;
    return of_.fetches[i].asked;
  }
  /// Until when the consumer had all that the fetch before fetch i gave. If the same thread made both, until it called
  /// for the second: it may have lost its core between its call and the fetch.
  std::int64_t until(std::size_t i) const {
    const auto &f = of_.fetches[i], &before = of_.fetches[i - 1];
    const auto c = calls_.find({f.epoch, passes_[i], f.first});
    if (c == calls_.end() || f.thread != before.thread || c->second->thread != f.thread) return f.asked;
    return std::min(std::max(c->second->asked, before.had), f.asked);
  }
  /// The batches of one fetch.
  void add(std::size_t i) {
    const auto& f = of_.fetches[i];
    const message_paths::id id{f.segment, f.sequence};
    const auto* made = paths_.find(id);
    if (made == nullptr || f.elements == 0) return;
    fetched_[id] = {log_.batches.size(), &f};
    const auto since = asked(i);
    const auto* next = i + 1 != of_.fetches.size() ? &of_.fetches[i + 1] : nullptr;
    const bool goes_on = next != nullptr && next->epoch == f.epoch && passes_[i + 1] == passes_[i];
    const auto end = goes_on ? until(i + 1) : f.had;  // a consumer that leaves the epoch has not had all
    auto latest = f.had;                              // when the thread that fetched had its last one
    for (std::uint64_t k = 0; k != f.elements; ++k) {
      batch_record b;
      b.epoch = f.epoch;
      b.pass = passes_[i];
      b.index = f.first + k;
      b.worker = of_.threads[made->last()->thread];
      auto taker = f.thread;
      b.begun = paths_.begun(id);
      b.ready = made->last()->ended;
      b.asked = since;
      b.had = f.had;
      if (const auto c = calls_.find({b.epoch, b.pass, b.index}); c != calls_.end())
        b.asked = c->second->asked, b.had = c->second->had, taker = c->second->thread;
      else if (k != 0)
        b.asked = b.had = std::max(
            latest, f.had + static_cast<std::int64_t>(static_cast<double>(end - f.had) * static_cast<double>(k) /
                                                      static_cast<double>(f.elements)));
      if (taker == f.thread) latest = std::max(latest, b.had);
      if (b.ready > b.had) b.ready = b.had;  // without threads the work ends a moment after the elements are there
      b.begun = std::min(b.begun, b.ready);
      b.begun_lost = of_.dropped != 0 && (!made->whole || b.begun < of_.since);
      b.consumed = b.had;
      b.consumer = of_.threads[taker];
      taken_by_.push_back(taker), fetch_of_.push_back(i);
      log_.batches.push_back(std::move(b));
    }
  }
  /// A batch is released when its thread asks for another, in its pass, or learns that there is none.
  void releases() {
    std::map<std::uint32_t, std::size_t> has;  // by thread: the batch that it took last
    std::optional<std::uint64_t> expected;     // the next position; another one: batches between them are missing
    const auto at_position = [&](std::uint64_t position) {
      if (expected && *expected != position) has.clear();
      expected = position + 1;
    };
    const auto asks = [&](std::uint32_t thread, std::uint64_t epoch, std::uint64_t pass, std::int64_t at) {
      const auto last = has.find(thread);
      if (last == has.end()) return;
      auto& b = log_.batches[last->second];
      if (b.epoch == epoch && b.pass == pass && at >= b.consumed) b.released = at;
      has.erase(last);
    };
    std::size_t next = 0;
    for (std::size_t i = 0; i != of_.fetches.size(); ++i) {
      const auto& f = of_.fetches[i];
      for (; next != log_.batches.size() && fetch_of_[next] == i; ++next) {
        const auto& b = log_.batches[next];
        at_position(b.index);
        asks(taken_by_[next], b.epoch, b.pass, b.asked);
        has[taken_by_[next]] = next;
      }
      if (f.elements != 0 || f.skipped != 0) continue;
      at_position(f.first);
      asks(f.thread, f.epoch, passes_[i], f.asked);
      expected.reset();
    }
  }
  void elements() {
    for (const auto& s : of_.samples) {
      if (s.operation == 0) continue;
      const message_paths::id id{s.segment, s.sequence};
      const auto* m = paths_.find(id);
      const work_record* at = nullptr;
      if (m != nullptr)
        for (const auto* w : m->work)
          if (w->thread == s.thread && w->begun <= s.begun && s.ended <= w->ended) at = w;
      const auto arrival = paths_.arrival(id, at, s.place);
      if (!arrival) continue;
      const auto& [to, place] = *arrival;
      const auto found = fetched_.find(to);
      if (found == fetched_.end()) continue;
      const auto& [first, f] = found->second;
      if (place < f->skipped) continue;
      auto& b = log_.batches[first + std::min(place - f->skipped, f->elements - 1)];
      b.elements.push_back({s.operation - 1, s.name, s.begun, 1e-9 * static_cast<double>(s.ended - s.begun),
                            std::max<std::uint64_t>(s.elements, 1), s.weight});
      if (s.elements > 1) b.elements.back().name = several(s.name, s.elements);
    }
    sizes();
  }
  /// "24 elements from photos/x.jpg on"
  std::uint32_t several(std::uint32_t name, std::uint64_t n) {
    const auto [it, is_new] = several_.try_emplace({name, n}, 0);
    if (!is_new) return it->second;
    log_.names.push_back(std::to_string(n) + " elements" +
                         (name == 0 ? std::string() : " from " + of_.names[name] + " on"));
    return it->second = static_cast<std::uint32_t>(log_.names.size() - 1);
  }
  /// How many elements went into each batch, if the parts determine it.
  void sizes() {
    double each = 1;
    for (const auto& p : of_.parts)
      if (p.serial) each *= p.takes;
    if (!(each >= 1)) return;
    for (auto& b : log_.batches) b.size = static_cast<std::uint64_t>(each);
  }

  const timeline& of_;
  message_paths paths_;
  batch_log log_;
  std::map<message_paths::id, std::pair<std::size_t, const fetch_record*>> fetched_;  ///< and its first batch
  std::vector<std::uint64_t> passes_;                                                 ///< of each fetch
  std::vector<std::uint32_t> taken_by_;                                               ///< of each batch: the thread
  std::vector<std::size_t> fetch_of_;                                                 ///< of each batch
  std::map<key, const call_record*> calls_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> several_;
};

}  // namespace detail

PLUMBLINE_INLINE batch_log batches_of(const timeline& of) { return detail::batch_maker(of).result(); }

PLUMBLINE_INLINE std::vector<queue_depth> queue_depths(const timeline& of) {
  std::map<detail::message_paths::id, std::int64_t> taken;
  std::map<detail::message_paths::id, std::pair<std::int64_t, double>> complete;  // when, and its bytes
  std::map<std::uint32_t, double> each;                                           // bytes of an element, by part
  for (const auto& p : of.parts) each[p.number] = p.element_bytes;
  for (const auto& w : of.work)
    if (w.made) complete[{w.segment, w.sequence}] = {w.ended, each[w.part] * static_cast<double>(w.elements)};
  for (const auto& t : of.takes) taken[{t.segment, t.sequence}] = t.at;
  for (const auto& f : of.fetches)
    if (f.elements + f.skipped != 0) taken.try_emplace({f.segment, f.sequence}, f.had);  // the end is no message
  std::vector<queue_depth> all;
  for (const auto& [m, made] : complete) {
    const auto& [at, bytes] = made;
    const auto end = taken.find(m);
    if (end == taken.end()) continue;  // still there, dropped with its epoch, or empty
    all.push_back({m.first, std::min(at, end->second), 1, bytes});
    all.push_back({m.first, end->second, -1, -bytes});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  std::map<std::uint32_t, queue_depth> now;
  for (auto& d : all) {
    auto& there = now[d.segment];
    d.messages = there.messages += d.messages;
    there.bytes += d.bytes;
    if (there.messages == 0) there.bytes = 0;  // not what rounding leaves
    d.bytes = there.bytes;
  }
  return all;
}

PLUMBLINE_INLINE std::vector<double> operator_seconds(const timeline& of) {
  std::map<std::uint32_t, double> parts;
  for (const auto& w : of.work) parts[w.part] += 1e-9 * static_cast<double>(w.ended - w.begun - w.timing);
  std::vector<double> weighted(of.operators.size()), out(of.operators.size());
  std::map<std::uint32_t, double> own;  // of the executor, by part
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<const work_record*>> work;
  for (const auto& w : of.work) work[{w.segment, w.sequence}].push_back(&w);
  for (const auto& s : of.samples) {
    const double seconds = 1e-9 * s.weight * static_cast<double>(s.ended - s.begun);
    if (s.operation != 0) {
      weighted[s.operation - 1] += seconds;
      continue;
    }
    for (const auto* w : work[{s.segment, s.sequence}])
      if (w->thread == s.thread && w->begun <= s.begun && s.begun <= w->ended) own[w->part] += seconds;
  }
  for (const auto& p : of.parts) {
    double all = own[p.number];
    for (const auto o : p.operators) all += weighted[o - 1];
    for (const auto o : p.operators)
      out[o - 1] += parts[p.number] * (all > 0 ? weighted[o - 1] / all : 1.0 / static_cast<double>(p.operators.size()));
  }
  return out;
}

}  // namespace plumbline
