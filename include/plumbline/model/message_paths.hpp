#pragma once
/// message_paths: which messages of a timeline went into which, and where an element of one arrives in the end.

#include <plumbline/model/timeline.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline::detail {

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
    /// When work on it, or on what went into it, began.
    std::int64_t begun = std::numeric_limits<std::int64_t>::max();
    bool settled = false;  ///< what its part took for it, and what it had before, is in the timeline
    bool whole = false;    ///< the first work on it is in the timeline, and so is that on what went into it
    const work_record* last() const { return work.back(); }
    std::uint64_t size() const { return work.back()->elements; }
  };

  explicit message_paths(const timeline& of) : since_(of.since) {
    for (const auto& p : of.parts) parts_[p.number] = &p;
    for (const auto& w : of.work)
      if (w.made) all_[{w.segment, w.sequence}].work.push_back(&w);
    std::map<std::uint32_t, std::pair<std::vector<const take_record*>, std::vector<const work_record*>>> serial;
    for (const auto& t : of.takes) serial[t.by].first.push_back(&t);
    for (const auto& w : of.work)
      if (const auto s = serial.find(w.segment); w.made && s != serial.end() && is_serial(w))
        s->second.second.push_back(&w);
    for (const auto& [segment, both] : serial) connect(both.first, both.second);
    // in the order of segments: what went into a message is of one with a smaller number
    std::map<std::uint32_t, std::uint32_t> first;  // part of each segment
    for (const auto& w : of.work) {
      auto& part = first.try_emplace(w.segment, w.part).first->second;
      part = std::min(part, w.part);
    }
    for (auto& [m, is] : all_) {
      for (const auto* w : is.work) is.begun = std::min(is.begun, w->begun);
      for (const auto& u : is.inputs) is.begun = std::min(is.begun, begun(u.from));
      is.whole = is_whole(is, first[m.first]);
    }
  }
  const message* find(const id& m) const {
    const auto it = all_.find(m);
    return it == all_.end() || it->second.work.empty() ? nullptr : &it->second;
  }
  /// When work on it, or on what went into it, began.
  std::int64_t begun(const id& m) const {
    const auto* is = find(m);
    return is == nullptr ? std::numeric_limits<std::int64_t>::max() : is->begun;
  }
  /// The message and place where an element of message m arrives in the end; whether the consumer fetched that message
  /// is for the caller to know. Nothing if the epoch was left before the element was part of a message. `place`: after
  /// the work `at`.
  std::optional<std::pair<id, std::uint64_t>> arrival(id m, const work_record* at, std::uint64_t place) const {
    for (;;) {
      const auto* here = find(m);
      if (here == nullptr) return std::pair{m, place};
      // what a serial part had begun when its message was complete is in a later message
      while (at != nullptr && at == here->work.front() && is_serial(*at) && place >= at->elements) {
        place -= at->elements;
        m = {m.first, m.second + 1};
        const auto* next = find(m);
        if (next == nullptr || !follows(*next->work.front(), *at)) return std::nullopt;
        here = next;
        at = here->work.front();
      }
      if (at != nullptr && at->elements != 0 && at->elements != here->size())
        place = place * here->size() / at->elements;
      const auto u = std::find_if(here->uses.begin(), here->uses.end(),
                                  [&](const use& x) { return x.begin <= place && place < x.end; });
      if (u == here->uses.end()) return std::pair{m, place};
      std::tie(m, at, place) = next(*u, u->before + place - u->begin);
    }
  }

 private:
  bool is_serial(const work_record& w) const {
    const auto p = parts_.find(w.part);
    return p != parts_.end() && p->second->serial;
  }
  /// A part that took too little for what it gave took something that is not in the timeline; so, at the end of an
  /// epoch, a message of a few last elements is not whole either.
  bool is_whole(const message& m, std::uint32_t first_part) const {
    const auto begins =
        std::find_if(m.work.begin(), m.work.end(), [&](const auto* w) { return w->part == first_part; });
    if (begins == m.work.end()) return false;
    const auto& w = **begins;
    if (!w.takes || w.elements == 0) return true;
    const auto known = [&](const use& u) {
      const auto* from = find(u.from);
      return from != nullptr && from->whole;
    };
    const double needed = taken_for_one(w) * static_cast<double>(w.elements);
    return !m.inputs.empty() && std::all_of(m.inputs.begin(), m.inputs.end(), known) &&
           (needed > 0 ? static_cast<double>(m.taken) >= needed * (1 - 1e-9) : m.settled);
  }
  /// True if a serial part's `next` message comes after `w` in the same pass through an epoch.
  static bool follows(const work_record& next, const work_record& w) {
    return next.epoch == w.epoch && next.first == w.first + w.elements;
  }
  /// Where the element `local` of those that went into u.into leaves the serial part. The place may be in a later
  /// message.
  std::tuple<id, const work_record*, std::uint64_t> next(const use& u, std::uint64_t local) const {
    const auto& into = all_.at(u.into);
    const auto* fill = into.work.front();
    const auto takes = taken_for_one(*fill);
    if (into.after && takes > 0) {
      const auto position =
          static_cast<std::uint64_t>(std::min(static_cast<double>(*into.after + local) / takes, 1e18));
      return {u.into, fill, position - std::min(position, fill->first)};
    }
    const auto place = into.taken == 0 ? 0 : local * fill->elements / into.taken;
    return {u.into, fill, place};
  }
  /// How many elements a serial part takes for each that it gives; 0: not known.
  double taken_for_one(const work_record& w) const {
    const auto part = parts_.find(w.part);
    return part == parts_.end() ? 0 : part->second->takes;
  }
  /// What a serial part gave in one pass through an epoch.
  struct part_pass {
    std::vector<message*> messages{};
    std::uint64_t taken = 0;  ///< elements
    bool known = true;        ///< that these are all
  };
  /// Makes message::after, until now counted from the beginning of the pass, a count from the beginning of the epoch.
  /// A pass that continues a saved state begins with the elements that the state held for an incomplete output. The
  /// timeline does not record how many; it follows from a message for whose elements the part took too few in the pass.
  void end(part_pass& of) const {
    const part_pass pass = std::exchange(of, {});
    if (pass.messages.empty()) return;
    const auto& begin = *pass.messages.front()->work.front();
    if (begin.first == 0) return;
    const auto takes = taken_for_one(begin);
    double held = 0;
    for (const auto* m : pass.messages) {
      if (m == pass.messages.back() && m != pass.messages.front()) continue;  // may end with fewer elements
      const auto& w = *m->work.front();
      const auto needed = takes * static_cast<double>(w.first + w.elements - begin.first);
      if (m->after) held = std::max(held, needed - static_cast<double>(*m->after + m->taken));
    }
    const auto before = takes * static_cast<double>(begin.first) + std::min(held, std::max(takes - 1, 0.0));
    for (auto* m : pass.messages)
      if (takes > 0 && m->after)
        *m->after += static_cast<std::uint64_t>(std::min(before, 1e18));
      else
        m->after.reset();
  }
  /// Connects the messages that a serial part took with those that it gave.
  void connect(const std::vector<const take_record*>& takes, const std::vector<const work_record*>& fills) {
    std::vector<std::pair<use, std::uint64_t>> since;  // taken since the last message, and its pass
    std::size_t next = 0;
    part_pass pass;
    const work_record* before = nullptr;
    constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();
    std::map<std::uint32_t, const take_record*> latest;  // by segment; null: none yet
    for (const auto* t : takes) latest[t->segment] = nullptr;
    const auto size = [&](const id& m) {
      const auto* is = find(m);
      return is == nullptr ? unknown : is->size();
    };
    for (const auto* fill : fills) {
      bool settled = std::all_of(latest.begin(), latest.end(),
                                 [&](const auto& l) { return l.second != nullptr && l.second->at >= since_; });
      for (; next != takes.size() && takes[next]->at <= fill->ended; ++next) {
        const auto& t = *takes[next];
        const id from{t.segment, t.sequence};
        const auto* last = std::exchange(latest[t.segment], &t);
        settled = settled && last->sequence + 1 == t.sequence;
        since.push_back({{from, {}, t.skipped, size(from), 0}, t.pass});
      }
      if (before == nullptr || !follows(*fill, *before)) {
        end(pass);
        // another pass begins, which does not use what an earlier one left
        const auto now = since.empty() ? 0 : since.back().second;
        std::erase_if(since, [&](const auto& u) { return !fill->takes || u.second != now; });
      }
      before = fill;
      auto& m = all_[{fill->segment, fill->sequence}];
      m.settled = settled;
      if (pass.known) m.after = pass.taken;
      pass.messages.push_back(&m);
      if (!fill->takes) continue;
      const id into{fill->segment, fill->sequence}, last{fill->input_segment, fill->input_sequence};
      decltype(since) left;
      for (auto [u, of] : since) {
        u.into = into;
        if (u.from == last) {
          u.end = std::min(u.end, fill->input_used);
          if (u.end < size(u.from)) left.push_back({{u.from, {}, u.end, size(u.from), 0}, of});
        }
        if (u.begin >= u.end) continue;
        u.before = m.taken;
        if (u.end == unknown) pass.known = false;
        m.taken += u.end - u.begin;
        m.inputs.push_back(u);
        all_[u.from].uses.push_back(u);
      }
      pass.taken += m.taken;
      since = std::move(left);
    }
    end(pass);
    // messages that are not in the timeline were made only to be named here
    std::erase_if(all_, [](const auto& m) { return m.second.work.empty(); });
  }

  const std::int64_t since_;
  std::map<std::uint32_t, const timeline_part*> parts_;
  std::map<id, message> all_;
};

}  // namespace plumbline::detail
