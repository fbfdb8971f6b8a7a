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
  /// Empty if none of these is near what was observed, as when a message takes longer than the time between looks.
  std::string bottleneck() {
    if (waited_ < consumer_is_the_limit) return "the consumer";
    const auto& parts = made_.demand.parts;
    auto have = budget_.have;
    have.io_threads = infinite;  // a part on I/O threads has its own limit
    std::vector<double> at_once(parts.size(), infinite);
    std::vector<std::size_t> of(parts.size());
    for (std::size_t k = 0; k != limits().parts.size(); ++k) {
      const auto& p = limits().parts[k];
      const auto i = planned(p);
      if (i == parts.size() || p.serial) continue;
      at_once[i] = static_cast<double>(p.waits ? p.at_once : std::min(p.at_once, limits().threads));
      of[i] = k;
    }
    double rate = infinite;
    bool shared = false;  // other programs have taken cores
    std::string text;
    if (const auto all = plumbline::limits(made_.demand, have, {}, at_once); !all.empty()) {
      rate = all.front().rate;
      text = all.front().text;
      if (all.front().kind == limit_kind::cores) {
        const auto had = cores_had();
        shared = !had.empty();
        text += had;
      }
      if (all.front().kind == limit_kind::parallelism) text = of_part(of[all.front().part], parts);
    }
    for (const auto& b : limits().buffers) {
      double each = 0;  // seconds of a thread for one element of the stream
      for (std::size_t i = b.first_part; i != b.first_part + b.parts; ++i) each += wall_of(limits().parts[i]);
      const double most = static_cast<double>(b.messages) * inverse(each);
      if (most >= rate) continue;
      rate = most;
      shared = false;
      const auto last = limits().last_operator(b);
      text = std::to_string(b.messages) + (b.messages == 1 ? " message" : " messages") + " in flight" +
             (last == 0 ? "" : " after " + seen_.operators[last - 1].name) +
             (b.stated                 ? ", stated"
              : b.messages < wanted(b) ? ", for the memory budget"
                                       : "");
    }
    const bool far = rate > far_above * rate_ && step_.changes.empty();  // what has changed now was not observed yet
    return far && !shared ? std::string{} : text;
  }

 private:
  static constexpr double consumer_is_the_limit = 0.05;  ///< of the time; as in stream_stats::limit()
  static constexpr double far_above = 2;
  /// Of a part whose messages at a time are the limit.
  std::string of_part(std::size_t i, const std::vector<part_demand>& parts) {
    const auto& p = limits().parts[i];
    const auto at = planned(p);
    if (!p.waits && p.at_once > limits().threads)
      return name_of(p) + " on " + std::to_string(limits().threads) +
             (limits().threads == 1 ? " compute thread" : " compute threads");
    auto text = name_of(p) + ": " + std::to_string(p.at_once) + " at a time";
    if (p.stated) return text + ", stated";
    if (step_.next.refused[i] > 0 || step_.next.served[i].rate > 0) return text + ", as more were no faster";
    if (budget_.io_stated && at != parts.size() && parts[at].blocks)
      return text + "; it waits, and the number of I/O threads is stated";
    return text;
  }
  /// If other programs took cores: what this run had of them.
  std::string cores_had() const {
    const double all = budget_.have.all(), had = made_.rates.cores + seen_.consumer_seconds / seen_.wall_seconds;
    const double without = (seen_.run_delay_seconds + seen_.io_run_delay_seconds) / seen_.wall_seconds;
    if (had > 0.9 * all || had < 0.1 * all || without < 0.1 * had || had + without < 0.5 * all) return {};
    return ", of which this run had " + short_text(had);
  }
};

}  // namespace plumbline::detail
