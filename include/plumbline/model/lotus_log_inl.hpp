#pragma once
/// Definitions of model/lotus_log.hpp.

#include <plumbline/core/excerpt.hpp>
#include <plumbline/core/printable_text.hpp>
#include <plumbline/model/lotus_log.hpp>
#include <plumbline/model/text_files.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace plumbline {

namespace detail {

class lotus_reader {
 public:
  void add(const lotus_log& log) {
    if (!names_.insert(log.name).second) complain("", log.name + " is given twice");
    worker_ = worker_of(log.name);
    operators_here_.clear();
    const auto before = prepared_.size();
    std::string_view rest = log.text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const auto end = rest.find('\n');
      auto line = rest.substr(0, end);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) add_line(line, log.name + ":" + std::to_string(number) + ": ");
    }
    give_elements(before);
  }
  batch_log result() {
    if (consumed_.empty())
      complain("",
               "no log has a line SBatchConsumed_...; give the logs of all processes, that of the consumer among them");
    log_.names_are_places = true;
    for (auto* each : {&waits_, &consumed_}) std::stable_sort(each->begin(), each->end(), earlier);
    std::stable_sort(prepared_.begin(), prepared_.end(),
                     [](const auto& a, const auto& b) { return earlier(a.at, b.at); });
    std::map<std::uint64_t, std::vector<const span*>> waits;
    std::map<std::uint64_t, std::vector<preparation*>> prepared;
    for (const auto& w : waits_) waits[w.batch].push_back(&w);
    for (auto& p : prepared_) prepared[p.at.batch].push_back(&p);
    std::map<std::string, std::int64_t> begin;  // by worker: when its first preparation was consumed
    std::vector<std::pair<std::int64_t, std::string>> incomplete;
    for (const auto& c : consumed_) {
      const auto* asked = latest(waits[c.batch], c.start);
      auto* made = latest(prepared[c.batch], asked != nullptr ? asked->start + asked->duration : c.start);
      if (made == nullptr || asked == nullptr) {
        incomplete.emplace_back(c.start, "batch " + std::to_string(c.batch) + " was consumed, but no log has its " +
                                             (made == nullptr ? "preparation" : "wait") +
                                             " before that; give the logs of all processes");
        continue;
      }
      auto b = std::move(made->batch);
      begin.try_emplace(b.worker, c.start);
      const auto& w = *asked;
      b.epoch = epoch_of(c.batch);
      b.index = c.batch;
      b.asked = w.start;
      b.had = w.start + w.duration;
      b.early = w.duration == mark;
      b.arrived = b.early ? w.start : b.had;
      b.consumed = c.start;
      if (c.duration != mark) b.released = c.start + c.duration;
      log_.batches.push_back(std::move(b));
    }
    std::int64_t whole = std::numeric_limits<std::int64_t>::min();  // from then on, all batches must be there
    for (const auto& [worker, first] : begin) whole = std::max(whole, first);
    for (const auto& [when, message] : incomplete)
      if (when > whole) throw std::invalid_argument("plumbline: lotus log: " + message);
    log_.cut_off = incomplete.size();
    return std::move(log_);
  }

 private:
  static constexpr std::int64_t mark = 1000;  ///< ns: a duration that is not one
  struct span {
    std::uint64_t batch;  ///< or the operator
    std::int64_t start, duration;
  };
  struct preparation {
    span at;
    batch_record batch;
  };
  static bool earlier(const span& a, const span& b) { return a.start < b.start; }
  static const span& when(const span& s) { return s; }
  static const span& when(const preparation& p) { return p.at; }

  /// Takes the latest that began at `before` or earlier out of `all`, which are in order of time; null: there is none.
  /// Of an epoch that was left early, what had been prepared ahead stays.
  template <class T> static T* latest(std::vector<T*>& all, std::int64_t before) {
    auto at =
        std::upper_bound(all.begin(), all.end(), before, [](std::int64_t t, const T* x) { return t < when(*x).start; });
    if (at == all.begin()) return nullptr;
    T* found = *--at;
    all.erase(at);
    return found;
  }
  /// An epoch's batches are consumed in order. So a batch continues the epoch of the batch before it if it is its next,
  /// else the one whose last batch precedes it most closely (a second loader's epoch may be within one of the first);
  /// if each has come as far, it begins one.
  std::uint64_t epoch_of(std::uint64_t batch) {
    auto best = last_.size();
    if (recent_ < last_.size() && last_[recent_] + 1 == batch)
      best = recent_;
    else
      for (std::size_t e = 0; e != last_.size(); ++e)
        if (last_[e] < batch && (best == last_.size() || last_[e] >= last_[best])) best = e;
    if (best == last_.size()) last_.push_back(batch);
    last_[best] = batch;
    return recent_ = best;
  }

  /// "83578" of ".../log_worker_pid_83578", else the name.
  static std::string worker_of(const std::string& name) {
    const std::string_view before = "worker_pid_";
    const auto at = name.rfind(before);
    if (at == name.npos) return name;
    const auto from = at + before.size(), end = name.find_first_not_of("0123456789", from);
    return end == from ? name : name.substr(from, end - from);
  }
  template <class T> static T number(std::string_view text, const char* what, const std::string& where) {
    const auto x = whole_number<T>(text);
    if (!x || *x < T{} || (std::same_as<T, std::int64_t> && std::cmp_greater_equal(*x, most_time)))
      complain(where, std::string(what) + " is \"" + printable_text(excerpt(text, 60)) +
                          "\"; it must be a whole number" +
                          (std::same_as<T, std::int64_t> ? " of ns, less than 2^62" : ""));
    return *x;
  }
  [[noreturn]] static void complain(const std::string& where, const std::string& what) {
    throw std::invalid_argument("plumbline: lotus log: " + where + what);
  }
  void add_line(std::string_view line, const std::string& where) {
    const auto first = line.find(','), second = first == line.npos ? first : line.find(',', first + 1);
    if (second == line.npos || line.find(',', second + 1) != line.npos)
      complain(where, "\"" + printable_text(excerpt(line, 60)) + "\" is not name,start_ns,duration_ns");
    const auto name = line.substr(0, first);
    if (name.size() < 2 || name.front() != 'S')
      complain(where, "the name is \"" + printable_text(excerpt(name, 60)) + "\"; it must begin with S");
    span s{0, number<std::int64_t>(line.substr(first + 1, second - first - 1), "the start", where),
           number<std::int64_t>(line.substr(second + 1), "the duration", where)};
    const auto of_batch = [&](std::string_view kind) {
      if (!name.starts_with(kind)) return false;
      s.batch = number<std::uint64_t>(name.substr(kind.size()), "the batch", where);
      return true;
    };
    if (of_batch("SBatchPreprocessed_")) {
      batch_record b;
      b.worker = worker_;
      b.begun = s.start;
      b.ready = s.start + s.duration;
      prepared_.push_back({s, std::move(b)});
    } else if (of_batch("SBatchWait_")) {
      waits_.push_back(s);
    } else if (of_batch("SBatchConsumed_")) {
      consumed_.push_back(s);
    } else {
      s.batch = operator_number(std::string(name.substr(1)));
      operators_here_.push_back(s);
    }
  }
  std::uint32_t operator_number(const std::string& name) {
    const auto [it, is_new] = operators_.try_emplace(name, static_cast<std::uint32_t>(log_.operators.size()));
    if (is_new) log_.operators.push_back(name);
    return it->second;
  }
  /// Gives the operators' spans of a process to the batches of this process, from `first` on, within which they begin.
  void give_elements(std::size_t first) {
    const auto from = prepared_.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(from, prepared_.end(), [](const auto& a, const auto& b) { return earlier(a.at, b.at); });
    std::stable_sort(operators_here_.begin(), operators_here_.end(), earlier);
    auto next = operators_here_.begin();
    for (auto p = from; p != prepared_.end(); ++p) {
      std::vector<std::uint32_t> seen(log_.operators.size());
      while (next != operators_here_.end() && next->start < p->batch.begun) ++next;
      for (; next != operators_here_.end() && next->start < p->batch.ready; ++next) {
        const auto operation = static_cast<std::uint32_t>(next->batch);
        p->batch.elements.push_back(
            {operation, element_name(seen[operation]++), next->start, 1e-9 * static_cast<double>(next->duration)});
      }
      if (!seen.empty()) p->batch.size = *std::max_element(seen.begin(), seen.end());
    }
  }
  /// The logs name no files, only their order within the batch.
  std::uint32_t element_name(std::uint32_t place) {
    while (log_.names.size() < place + 2U)
      log_.names.push_back("element " + std::to_string(log_.names.size() - 1) + " of the batch");
    return place + 1;
  }

  std::string worker_;
  std::vector<span> operators_here_, waits_, consumed_;
  std::vector<preparation> prepared_;
  std::vector<std::uint64_t> last_;  ///< batch of each epoch, so far
  std::size_t recent_ = 0;           ///< the epoch of the batch before
  std::map<std::string, std::uint32_t> operators_;
  batch_log log_;
  std::set<std::string> names_;
};

}  // namespace detail

PLUMBLINE_INLINE batch_log batches_of(const std::vector<lotus_log>& logs) {
  detail::lotus_reader reader;
  for (const auto& log : logs) reader.add(log);
  return reader.result();
}
PLUMBLINE_INLINE batch_log read_lotus_logs(const std::vector<std::string>& paths) {
  std::vector<lotus_log> logs;
  for (const auto& path : paths) logs.push_back({path, detail::read_text(path, "lotus log")});
  return batches_of(logs);
}

}  // namespace plumbline
