#pragma once
/// Definitions of model/timeline_batches.hpp.

#include <plumbline/model/timeline_batches.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace plumbline {

namespace detail {

/// Follows messages from segment to segment.
class message_paths {
 public:
  using id = std::pair<std::uint32_t, std::uint64_t>;  ///< segment and sequence number
  /// Part of a message's elements, that went into message `into`, after `before` others.
  struct use {
    id from, into;
    std::uint64_t begin, end, before;
  };
  struct message {
    std::vector<const work_record*> work{};
    std::vector<use> inputs{};
    std::vector<use> uses{};
    std::uint64_t taken = 0;               ///< elements that went into it
    std::optional<std::uint64_t> after{};  ///< elements that its part had taken before in the epoch, if all are known
    std::int64_t begun = 0;                ///< with its inputs; 0: not known yet
    const work_record* last() const { return work.back(); }
    std::uint64_t size() const { return work.back()->elements; }
  };

  explicit message_paths(const timeline& of) : of_(of) {
    for (const auto& p : of.parts) parts_[p.number] = &p;
    for (const auto& w : of.work)
      if (w.made) all_[{w.segment, w.sequence}].work.push_back(&w);
    std::map<std::uint32_t, std::pair<std::vector<const take_record*>, std::vector<const work_record*>>> serial;
    for (const auto& t : of.takes) serial[t.by].first.push_back(&t);
    for (const auto& w : of.work)
      if (w.takes && w.made) serial[w.segment].second.push_back(&w);
    for (const auto& [segment, both] : serial) connect(both.first, both.second);
  }
  const message* find(const id& m) const {
    const auto it = all_.find(m);
    return it == all_.end() ? nullptr : &it->second;
  }
  /// When work on it, or on what went into it, began.
  std::int64_t begun(const id& m) {
    const auto it = all_.find(m);
    if (it == all_.end()) return std::numeric_limits<std::int64_t>::max();
    if (it->second.begun == 0) {
      auto first = std::numeric_limits<std::int64_t>::max();
      for (const auto* w : it->second.work) first = std::min(first, w->begun);
      it->second.begun = first;
      for (const auto& u : it->second.inputs) first = std::min(first, begun(u.from));
      it->second.begun = first;
    }
    return it->second.begun;
  }
  /// The message and place where an element of message m arrives in the end, and whether that is fetched by the
  /// consumer is for the caller to know. `place`: after the work `at`.
  std::pair<id, std::uint64_t> arrival(id m, const work_record* at, std::uint64_t place) const {
    for (;;) {
      const auto* here = find(m);
      if (here == nullptr) return {m, place};
      if (at != nullptr && at->elements != 0 && at->elements != here->size())
        place = place * here->size() / at->elements;
      const auto u = std::find_if(here->uses.begin(), here->uses.end(),
                                  [&](const use& x) { return x.begin <= place && place < x.end; });
      if (u == here->uses.end()) return {m, place};
      std::tie(m, at, place) = next(*u, u->before + place - u->begin);
    }
  }

 private:
  /// Where the element `local` of those that went into u.into leaves the serial part.
  std::tuple<id, const work_record*, std::uint64_t> next(const use& u, std::uint64_t local) const {
    const auto& into = all_.at(u.into);
    const auto* fill = into.work.front();
    const auto part = parts_.find(fill->part);
    const double takes = part == parts_.end() ? 0 : part->second->takes;
    if (into.after && takes > 0) {
      const auto position = static_cast<std::uint64_t>(static_cast<double>(*into.after + local) / takes);
      if (position < fill->first + fill->elements) return {u.into, fill, position - std::min(position, fill->first)};
      // left for a later message
      for (auto q = u.into.second + 1;; ++q) {
        const auto* later = find({u.into.first, q});
        if (later == nullptr) break;
        const auto* w = later->work.front();
        if (w->epoch != fill->epoch || w->first <= fill->first) break;
        if (position < w->first + w->elements) return {{u.into.first, q}, w, position - std::min(position, w->first)};
      }
    }
    const auto place = into.taken == 0 ? 0 : local * fill->elements / into.taken;
    return {u.into, fill, place};
  }
  /// Connects the messages that a serial part took with those that it gave.
  void connect(const std::vector<const take_record*>& takes, const std::vector<const work_record*>& fills) {
    std::vector<use> since;  // the last message that was given
    std::size_t next = 0;
    std::uint64_t total = 0;
    bool known = false;  // the total is of everything that was taken in the epoch
    const auto size = [&](const id& m) {
      const auto* is = find(m);
      return is == nullptr ? std::numeric_limits<std::uint64_t>::max() : is->size();
    };
    for (const auto* fill : fills) {
      for (; next != takes.size() && takes[next]->at <= fill->ended; ++next) {
        const id from{takes[next]->segment, takes[next]->sequence};
        since.push_back({from, {}, 0, size(from), 0});
      }
      if (fill->first == 0) {
        // an epoch begins; what is left of another is not used
        std::erase_if(since, [&](const use& u) {
          const auto* is = find(u.from);
          return is != nullptr && is->last()->epoch != fill->epoch && u.begin != 0;
        });
        total = 0;
        known = true;
      }
      const id into{fill->segment, fill->sequence}, last{fill->input_segment, fill->input_sequence};
      auto& m = all_[into];
      if (known) m.after = total;
      std::vector<use> left;
      for (auto u : since) {
        u.into = into;
        if (u.from == last) {
          u.end = std::min(u.end, fill->input_used);
          if (u.end < size(u.from)) left.push_back({u.from, {}, u.end, size(u.from), 0});
        }
        if (u.begin >= u.end) continue;
        u.before = m.taken;
        if (u.end == std::numeric_limits<std::uint64_t>::max()) known = false;
        m.taken += u.end - u.begin;
        m.inputs.push_back(u);
        all_[u.from].uses.push_back(u);
      }
      total += m.taken;
      since = std::move(left);
    }
    // messages that are not in the timeline were made only to be named here
    std::erase_if(all_, [](const auto& m) { return m.second.work.empty(); });
  }

  const timeline& of_;
  std::map<std::uint32_t, const timeline_part*> parts_;
  std::map<id, message> all_;
};

class batch_maker {
 public:
  explicit batch_maker(const timeline& of) : of_(of), paths_(of) {}
  batch_log result() {
    for (const auto& name : of_.operators) log_.operators.push_back(name);
    log_.names = of_.names;
    for (const auto& c : of_.calls) calls_[{c.epoch, c.position}] = &c;
    for (std::size_t i = 0; i != of_.fetches.size(); ++i) add(i);
    releases();
    elements();
    return std::move(log_);
  }

 private:
  /// The batches of one fetch.
  void add(std::size_t i) {
    const auto& f = of_.fetches[i];
    const message_paths::id id{f.segment, f.sequence};
    const auto* made = paths_.find(id);
    if (made == nullptr || f.elements == 0) return;
    fetched_[id] = log_.batches.size();
    // until the next fetch, the consumer had all of them
    const auto until = i + 1 != of_.fetches.size() ? of_.fetches[i + 1].asked : f.had;
    for (std::uint64_t k = 0; k != f.elements; ++k) {
      batch_record b;
      b.epoch = f.epoch;
      b.index = f.first + k;
      b.worker = of_.threads[made->last()->thread];
      b.begun = paths_.begun(id);
      b.ready = made->last()->ended;
      b.asked = f.asked;
      b.had = f.had;
      if (const auto c = calls_.find({b.epoch, b.index}); c != calls_.end())
        b.asked = c->second->asked, b.had = c->second->had;
      else if (k != 0)
        b.asked = b.had = f.had + static_cast<std::int64_t>(static_cast<double>(until - f.had) *
                                                            static_cast<double>(k) / static_cast<double>(f.elements));
      if (b.ready > b.had) b.ready = b.had;  // without threads the work ends a moment after the elements are there
      b.begun = std::min(b.begun, b.ready);
      b.consumed = b.had;
      log_.batches.push_back(std::move(b));
    }
  }
  /// A batch is released when the next is asked for, in its epoch; the last one when the end is.
  void releases() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> asked;
    for (const auto& b : log_.batches) asked[{b.epoch, b.index}] = b.asked;
    for (const auto& f : of_.fetches)
      if (f.elements == 0) asked.try_emplace({f.epoch, f.first}, f.asked);
    for (auto& b : log_.batches)
      if (const auto next = asked.find({b.epoch, b.index + 1}); next != asked.end() && next->second >= b.consumed)
        b.released = next->second;
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
      auto [to, place] = paths_.arrival(id, at, s.place);
      // what a serial part had begun when its message was complete is in a later message
      for (const auto* in = paths_.find(to); in != nullptr && in->work.size() == 1 && place >= in->size();
           in = paths_.find(to))
        place -= in->size(), ++to.second;
      const auto first = fetched_.find(to);
      if (first == fetched_.end()) continue;
      const auto n = paths_.find(to)->size();
      auto& b = log_.batches[first->second + std::min(place, n == 0 ? 0 : n - 1)];
      b.elements.push_back({s.operation - 1, s.name, s.begun, 1e-9 * static_cast<double>(s.ended - s.begun)});
      if (s.elements > 1) b.elements.back().name = several(s.name, s.elements);
    }
    sizes();
  }
  /// "24 elements from photos/x.jpg on"
  std::uint32_t several(std::uint32_t name, std::uint64_t n) {
    const auto [it, is_new] = several_.try_emplace({name, n}, 0);
    if (is_new) {
      log_.names.push_back(std::to_string(n) + " elements" +
                           (name == 0 ? std::string() : " from " + of_.names[name] + " on"));
      it->second = static_cast<std::uint32_t>(log_.names.size() - 1);
    }
    return it->second;
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
  std::map<message_paths::id, std::size_t> fetched_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, const call_record*> calls_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> several_;
};

}  // namespace detail

PLUMBLINE_INLINE batch_log batches_of(const timeline& of) { return detail::batch_maker(of).result(); }

PLUMBLINE_INLINE std::vector<queue_depth> queue_depths(const timeline& of) {
  std::map<detail::message_paths::id, std::int64_t> complete, taken;
  for (const auto& w : of.work)
    if (w.made) complete[{w.segment, w.sequence}] = w.ended;
  for (const auto& t : of.takes) taken[{t.segment, t.sequence}] = t.at;
  for (const auto& f : of.fetches) taken.try_emplace({f.segment, f.sequence}, f.had);
  std::vector<queue_depth> all;
  for (const auto& [m, at] : complete) {
    const auto end = taken.find(m);
    if (end == taken.end()) continue;  // still there, or dropped with its epoch
    all.push_back({m.first, std::min(at, end->second), 1});
    all.push_back({m.first, end->second, -1});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  std::map<std::uint32_t, std::int64_t> now;
  for (auto& d : all) d.messages = now[d.segment] += d.messages;
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
