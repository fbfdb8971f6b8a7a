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
    const work_record* last() const { return work.back(); }
    std::uint64_t size() const { return work.back()->elements; }
  };

  explicit message_paths(const timeline& of) {
    for (const auto& p : of.parts) parts_[p.number] = &p;
    for (const auto& w : of.work)
      if (w.made) all_[{w.segment, w.sequence}].work.push_back(&w);
    std::map<std::uint32_t, std::pair<std::vector<const take_record*>, std::vector<const work_record*>>> serial;
    for (const auto& t : of.takes) serial[t.by].first.push_back(&t);
    for (const auto& w : of.work)
      if (w.takes && w.made) serial[w.segment].second.push_back(&w);
    for (const auto& [segment, both] : serial) connect(both.first, both.second);
    // in the order of segments: what went into a message is of one with a smaller number
    for (auto& [m, is] : all_) {
      for (const auto* w : is.work) is.begun = std::min(is.begun, w->begun);
      for (const auto& u : is.inputs) is.begun = std::min(is.begun, begun(u.from));
    }
  }
  const message* find(const id& m) const {
    const auto it = all_.find(m);
    return it == all_.end() ? nullptr : &it->second;
  }
  /// When work on it, or on what went into it, began.
  std::int64_t begun(const id& m) const {
    const auto* is = find(m);
    return is == nullptr ? std::numeric_limits<std::int64_t>::max() : is->begun;
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
      const auto position =
          static_cast<std::uint64_t>(std::min(static_cast<double>(*into.after + local) / takes, 1e18));
      if (position < fill->first + fill->elements) return {u.into, fill, position - std::min(position, fill->first)};
      // left for a later message of the pass
      auto end = fill->first + fill->elements;
      for (auto q = u.into.second + 1;; ++q) {
        const auto* later = find({u.into.first, q});
        if (later == nullptr) break;
        const auto* w = later->work.front();
        if (w->epoch != fill->epoch || w->first != end) break;
        if (position < (end += w->elements)) return {{u.into.first, q}, w, position - std::min(position, w->first)};
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
    const work_record* before = nullptr;
    const auto size = [&](const id& m) {
      const auto* is = find(m);
      return is == nullptr ? std::numeric_limits<std::uint64_t>::max() : is->size();
    };
    for (const auto* fill : fills) {
      for (; next != takes.size() && takes[next]->at <= fill->ended; ++next) {
        const id from{takes[next]->segment, takes[next]->sequence};
        since.push_back({from, {}, 0, size(from), 0});
      }
      if (before == nullptr || fill->epoch != before->epoch || fill->first != before->first + before->elements) {
        // an epoch begins, perhaps again or where a state was saved; what remained of another pass is not used
        std::erase_if(since, [](const use& u) { return u.begin != 0; });
        total = 0;
        known = fill->first == 0;
      }
      before = fill;
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

  std::map<std::uint32_t, const timeline_part*> parts_;
  std::map<id, message> all_;
};

}  // namespace plumbline::detail
