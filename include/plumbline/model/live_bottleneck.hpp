#pragma once
/// live_bottleneck: of a decision of decide_live, what limits the run with the limits that are in force, in words.

#include <plumbline/model/format.hpp>
#include <plumbline/model/live_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace plumbline::detail {

class live_bottleneck : protected live_memory {
 protected:
  using live_memory::live_memory;

  /// The lowest of the plan's limits (model/limits.hpp), of messages processed at a time, and of messages in flight.
  std::string bottleneck() {
    if (waited_ < consumer_is_the_limit) return "the consumer";
    const auto& parts = made_.demand.parts;
    auto have = budget_.have;
    have.io_threads = infinite;  // a part on I/O threads has its own limit
    std::vector<double> at_once(parts.size(), infinite);
    std::vector<const part_limit*> of(parts.size());
    for (const auto& p : limits().parts) {
      const auto i = planned(p);
      if (i == parts.size() || p.serial) continue;
      at_once[i] = static_cast<double>(p.waits ? p.at_once : std::min(p.at_once, limits().threads));
      of[i] = &p;
    }
    double rate = infinite;
    std::string text;
    if (const auto all = plumbline::limits(made_.demand, have, {}, at_once); !all.empty()) {
      rate = all.front().rate;
      text = all.front().text;
      if (all.front().kind == limit_kind::cores) text += not_had();
      if (all.front().kind == limit_kind::parallelism) {
        const auto& p = *of[all.front().part];
        if (p.stated)
          text += ", stated";
        else if (step_.next.refused[static_cast<std::size_t>(&p - limits().parts.data())] > 0)
          text += ", as more were no faster";
      }
    }
    for (const auto& b : limits().buffers) {
      double each = 0;  // seconds of a thread for one element of the stream
      for (std::size_t i = b.first_part; i != b.first_part + b.parts; ++i) each += wall_of(limits().parts[i]);
      const double most = static_cast<double>(b.messages) * inverse(each);
      if (most >= rate) continue;
      rate = most;
      const auto last = limits().last_operator(b);
      text = std::to_string(b.messages) + (b.messages == 1 ? " message" : " messages") + " in flight" +
             (last == 0 ? "" : " after " + seen_.operators[last - 1].name) +
             (b.stated                 ? ", stated"
              : b.messages < wanted(b) ? ", for the memory budget"
                                       : "");
    }
    return text;
  }

 private:
  static constexpr double consumer_is_the_limit = 0.05;  ///< of the time; as in stream_stats::limit()
  /// If other programs took cores: what this run had of them.
  std::string not_had() const {
    const double had = made_.rates.cores + seen_.consumer_seconds / seen_.wall_seconds;
    const double without = (seen_.run_delay_seconds + seen_.io_run_delay_seconds) / seen_.wall_seconds;
    if (had > 0.9 * budget_.have.all() || without < 0.1 * had) return {};
    return ", of which this run had " + number_text(had, "%.2g");
  }
};

}  // namespace plumbline::detail
