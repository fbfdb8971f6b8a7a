#pragma once
/// timeline_maker: makes a timeline of the events of a run's rings (exec/event_ring.hpp): ticks become ns, and lineages
/// names.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/event_ring.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/model/timeline.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace plumbline::detail {

class timeline_maker {
 public:
  /// `begun`: when the run did. `rings`: how many there are.
  timeline_maker(timeline& to, const pipeline_info& of, const clock_pair& begun, std::size_t rings)
      : to_(to), of_(of), rings_(rings), begun_(begun), rate_(1 / clock_costs::known().ticks_a_ns) {
    // between two readings of both clocks, so that an error of the rate does not add up
    const auto now = clock_pair::now();
    if (now.ns - begun.ns > 50'000'000)
      rate_ = static_cast<double>(now.ns - begun.ns) / static_cast<double>(now.ticks - begun.ticks);
  }
  /// Each ring is a thread of the timeline; the consumer's other threads follow them.
  void add(const timeline_event& e, std::size_t ring) {
    const auto thread = static_cast<std::uint32_t>(e.by == 0 ? ring : rings_ + e.by - 1);
    const auto begun = at(e.begun), ended = at(e.ended);
    switch (e.kind) {
      case event_kind::work: {
        work_record w{thread, e.number, e.segment, e.sequence, e.epoch, e.index, e.count, e.made, 0, 0, begun, ended};
        w.timing = static_cast<std::int64_t>(rate_ * static_cast<double>(e.few * timing_unit));
        w.takes = e.known;
        if (w.takes)
          w.input_segment = e.source, w.input_sequence = e.other, w.input_used = e.used;
        else if (e.other != 0)
          w.queued = at(static_cast<std::int64_t>(e.other));
        to_.work.push_back(w);
        break;
      }
      case event_kind::take:
        to_.takes.push_back({e.segment, e.number, e.sequence, ended, e.index, e.used});
        break;
      case event_kind::fetch:
        to_.fetches.push_back({e.segment, e.sequence, e.epoch, e.index, e.count, begun, ended, e.used, thread});
        break;
      case event_kind::call:
        to_.calls.push_back({e.epoch, e.index, begun, ended, thread});
        break;
      case event_kind::sample:
        to_.samples.push_back({thread, e.number, e.segment, e.sequence, e.count, e.few,
                               static_cast<double>(std::bit_cast<float>(e.used)), e.known ? name_of(e) : 0, begun,
                               ended});
        break;
    }
  }
  /// Ticks as ns.
  std::int64_t at(std::int64_t ticks) const {
    return begun_.ns + static_cast<std::int64_t>(rate_ * static_cast<double>(ticks - begun_.ticks));
  }
  void sort() {
    const auto by_end = [](const auto& a, const auto& b) {
      if constexpr (requires { a.ended; })
        return a.ended < b.ended;
      else if constexpr (requires { a.had; })
        return a.had < b.had;
      else
        return a.at < b.at;
    };
    std::stable_sort(to_.work.begin(), to_.work.end(), by_end);
    std::stable_sort(to_.takes.begin(), to_.takes.end(), by_end);
    std::stable_sort(to_.fetches.begin(), to_.fetches.end(), by_end);
    std::stable_sort(to_.calls.begin(), to_.calls.end(), by_end);
    std::stable_sort(to_.samples.begin(), to_.samples.end(), by_end);
  }

 private:
  std::uint32_t name_of(const timeline_event& e) {
    const auto [it, is_new] = named_.try_emplace({e.source, e.index, e.other}, 0);
    if (!is_new) return it->second;
    const lineage l{e.index, e.other, e.epoch, e.source};
    const auto from = of_.origin_of(l);
    auto text =
        from.what.empty() ? "element " + std::to_string(l.index) + " of " + std::string(from.source) : from.what;
    if (l.sub != 0 && l.sub < (std::uint64_t{1} << 32)) text += ", part " + std::to_string(l.sub - 1);
    to_.names.push_back(std::move(text));
    return it->second = static_cast<std::uint32_t>(to_.names.size() - 1);
  }

  timeline& to_;
  const pipeline_info& of_;
  const std::size_t rings_;
  const clock_pair begun_;
  double rate_;  ///< ns a tick
  std::map<std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>, std::uint32_t> named_;
};

}  // namespace plumbline::detail
