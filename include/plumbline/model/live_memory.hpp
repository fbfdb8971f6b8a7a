#pragma once
/// live_memory: of a decision of decide_live, how many messages are in flight, and of how many elements.

#include <plumbline/model/format.hpp>
#include <plumbline/model/live_declaration.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// What a look has before it: the counters, the plan that they give, and the step that it makes.
class live_view {
 public:
  live_view(const trace& seen, const live_state& last, const live_budget& budget) : seen_(seen), budget_(budget) {
    step_.next = last;
    step_.next.refused.resize(last.limits.parts.size());
    step_.next.served.resize(last.limits.parts.size());
    step_.next.elsewhere.resize(last.limits.parts.size());
    step_.next.shrunk.resize(last.limits.buffers.size());
    count_ = static_cast<double>(seen.counters.empty() ? 0 : seen.counters.back().completions);
    rate_ = seen.wall_seconds > 0 ? count_ / seen.wall_seconds : 0;
    waited_ = seen.wall_seconds > 0 ? seen.consumer_wait_seconds / seen.wall_seconds : 0;
  }

 protected:
  std::size_t io_most() const { return static_cast<std::size_t>(std::max(budget_.have.io_threads, 1.0)); }

  live_limits& limits() { return step_.next.limits; }

  void log(std::string what, std::string why, double predicted = 0) {
    step_.changes.push_back({step_.next.at, std::move(what), std::move(why), rate_, predicted});
  }
  std::string name_of(const part_limit& p) const {
    std::string all;
    for (const auto number : p.operators) all += (all.empty() ? "" : " | ") + seen_.operators[number - 1].name;
    return all;
  }
  /// The part of the plan that is this one of the run; its index, or the number of parts.
  std::size_t planned(const part_limit& p) const {
    std::size_t i = 0;
    while (i != made_.demand.parts.size() &&
           (made_.demand.parts[i].serial != p.serial || made_.demand.parts[i].operators != p.operators))
      ++i;
    return i;
  }
  static double sum(const std::vector<double>& of) {
    double all = 0;
    for (const double x : of) all += x;
    return all;
  }
  /// Seconds of a thread for one element of the stream.
  double wall_of(const part_limit& p) const {
    const auto i = planned(p);
    return i == made_.demand.parts.size() ? 0 : sum(made_.demand.parts[i].wall);
  }
  std::vector<double> walls() {
    std::vector<double> all;
    for (const auto& p : limits().parts) all.push_back(wall_of(p));
    return all;
  }

  const trace& seen_;
  const live_budget& budget_;
  live_step step_;
  planning made_;
  double count_ = 0, rate_ = 0, waited_ = 0;
};

/// Messages in flight.
class live_memory : protected live_view {
 protected:
  using live_view::live_view;
  static constexpr std::size_t most_elements = 2048;  ///< more in a message is no limit
  /// Messages in a buffer if memory allows: as many as keep all threads busy, twice; of those that wait, too.
  std::size_t wanted(const buffer_limit& b) {
    if (b.stated) return b.messages;
    std::size_t n = b.output ? std::max<std::size_t>(made_.best.prefetch, 2) : 4;
    if (b.has_stages) {
      n = 2 * limits().threads + 2;
      for (std::size_t i = b.first_part; i != b.first_part + b.parts; ++i)
        if (limits().parts[i].waits) n += 2 * limits().parts[i].at_once;
    }
    return std::min(n, b.most);
  }
  /// The elements a second that the consumer could take: its own time is that in which it does not wait.
  double consumer_most() const {
    const double own = seen_.wall_seconds - seen_.consumer_wait_seconds;
    return own > 0 ? count_ / own : infinite;
  }
  /// The most messages that the part with this number can have in flight.
  std::size_t messages_for(std::size_t part) {
    for (const auto& b : limits().buffers) {
      if (part < b.first_part || part >= b.first_part + b.parts) continue;
      if (b.stated) return std::max<std::size_t>(b.messages, 1);
      auto one = limits();
      one.buffers = {b};
      one.buffers[0].messages = 1;
      const double each = bytes_in_flight(seen_, made_, one);
      const double fit = each > 0 ? budget_.have.memory / each : infinite;
      return fit < static_cast<double>(b.most) ? std::max<std::size_t>(static_cast<std::size_t>(fit), 1) : b.most;
    }
    return std::size_t(-1);
  }
  live_limits with_share(double share) {
    auto to = limits();
    for (auto& b : to.buffers)
      if (!b.stated)
        b.messages = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(wanted(b))));
    return to;
  }
  void fit_memory() {
    const double room = budget_.have.memory;
    const auto size = [&](const live_limits& of) { return bytes_in_flight(seen_, made_, of); };
    const double now = size(limits());
    // part of the room stays free, so that elements a little larger do not need the next change
    constexpr double fill = 0.8;
    const bool over = now > room;
    double share = 1;
    if (size(with_share(1)) > fill * room) {
      double low = 0, high = 1;
      for (int i = 0; i != 30; ++i) (size(with_share((low + high) / 2)) > fill * room ? high : low) = (low + high) / 2;
      share = low;
    }
    auto to = with_share(share);
    // messages of fewer elements, if one in each buffer is still too much
    if (const double least = size(to); least > room && !budget_.chunk_stated)
      for (auto& b : to.buffers) shrink(b, room / least);
    // and of more again, when much is free
    if (!over && !budget_.chunk_stated && made_.best.chunk == 0)
      for (std::size_t i = 0; i != to.buffers.size(); ++i) {
        auto& b = to.buffers[i];
        if (step_.next.shrunk[i] && b.elements != 0 && 4 * size(to) <= fill * room)
          b.elements = 2 * b.elements > most_elements ? 0 : 2 * b.elements;
      }
    bool more = false, fewer = false;
    const auto elements = [](const buffer_limit& b) { return b.elements == 0 ? most_elements + 1 : b.elements; };
    for (std::size_t i = 0; i != to.buffers.size(); ++i) {
      const auto &was = limits().buffers[i], &is = to.buffers[i];
      more = more || 2 * is.messages >= 3 * was.messages || elements(is) > elements(was);
      fewer = fewer || is.messages < was.messages || elements(is) < elements(was);
    }
    if (!(over && fewer) && !(more && !over)) return;
    if (!over)
      for (std::size_t i = 0; i != to.buffers.size(); ++i)
        to.buffers[i].messages = std::max(to.buffers[i].messages, limits().buffers[i].messages);
    if (!over && size(to) > room) return;
    log("messages in flight: " + difference_text(limits(), to),
        over ? "they may hold " + bytes_text(now) + ", and " + bytes_text(room) + " are left"
             : "they hold " + bytes_text(size(to)) + " of " + bytes_text(room) + ", and keep all threads busy");
    for (std::size_t i = 0; i != to.buffers.size(); ++i)
      if (elements(to.buffers[i]) < elements(limits().buffers[i])) step_.next.shrunk[i] = true;
    limits() = std::move(to);
  }
  void shrink(buffer_limit& b, double by) const {
    double each = 0;  // elements of a message
    for (std::size_t i = b.first_part; i != b.first_part + b.parts; ++i)
      for (const auto& p : seen_.parts)
        if (p.operators == step_.next.limits.parts[i].operators && p.messages != 0)
          each = std::max(each, static_cast<double>(seen_.counters[p.operators.front() - 1].completions) /
                                    static_cast<double>(p.messages));
    if (each > 1) b.elements = static_cast<std::size_t>(std::max(1.0, each * by));
  }
  /// "after crop 14 of up to 5 elements -> 28, after batch 2 -> 4".
  std::string difference_text(const live_limits& from, const live_limits& to) const {
    std::string text;
    for (std::size_t i = 0; i != from.buffers.size(); ++i) {
      const auto &was = from.buffers[i], &is = to.buffers[i];
      if (was == is) continue;
      const auto last = from.last_operator(was);
      text += (text.empty() ? "" : ", ") + (last == 0 ? "" : "after " + seen_.operators[last - 1].name + " ") +
              messages_text(was) + " -> " + messages_text(is);
    }
    return text;
  }
  /// Smaller messages where an epoch has few elements, so that all threads get some. This limit stays: it has no effect
  /// where elements cost so much that the executor makes shorter messages, and near that cost it would come and go.
  void shorter_messages() {
    const auto chunk = made_.best.chunk;
    if (budget_.chunk_stated || chunk == 0) return;
    bool changes = false;
    for (std::size_t i = 0; i != limits().buffers.size(); ++i) {
      auto& b = limits().buffers[i];
      if (!b.has_stages || (b.elements != 0 && 2 * b.elements < 3 * chunk)) continue;
      b.elements = chunk;
      step_.next.shrunk[i] = false;
      changes = true;
    }
    if (changes)
      log("at most " + std::to_string(chunk) + " elements in a message",
          "an epoch is short: so each thread gets four messages of it", made_.best.rate);
  }
};

}  // namespace plumbline::detail
