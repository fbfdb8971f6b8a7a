#pragma once
/// Definitions of model/mistakes.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/mistakes.hpp>
#include <plumbline/model/reflect.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// Keeps the first mistake in the records of some arrays.
class record_check {
 public:
  template <class T, class F> void each(const char* array, const std::vector<T>& all, F f) {
    array_ = array;
    for (index_ = 0; index_ != all.size() && text_.empty(); ++index_) f(all[index_]);
  }
  void wrong(const std::string& member, const auto& x, const std::string& rule) {
    if (text_.empty())
      text_ =
          array_ + ("[" + std::to_string(index_) + "].") + member + " is " + exact_number(x) + "; it must be " + rule;
  }
  void below(const char* member, std::size_t x, std::size_t n, const char* of) {
    if (x >= n) wrong(member, x, "less than " + std::to_string(n) + ", the number of " + of);
  }
  /// The number of an operator.
  void number(const char* member, std::size_t x, std::size_t operators) {
    if (x == 0 || x > operators) wrong(member, x, "1 to " + std::to_string(operators) + ", the number of operators");
  }
  /// All members that are times.
  void times(const auto& record, std::int64_t least) {
    members_of(record, [&](const char* member, const auto& t) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(t)>, std::int64_t>)
        if (t < least || t >= most_time)
          wrong(member, t,
                "at least " + std::to_string(least) + " and less than 2^62 ns, so that times can be subtracted");
    });
  }
  std::string result() && { return std::move(text_); }

 private:
  const char* array_ = "";
  std::size_t index_ = 0;
  std::string text_;
};

PLUMBLINE_INLINE std::string mistake_in(const timeline& of) {
  record_check all;
  double takes = 1;
  all.each("parts", of.parts, [&](const timeline_part& p) {
    for (const auto o : p.operators) all.number("operators", o, of.operators.size());
    takes *= p.takes;
    if (!(p.takes >= 0 && takes < 1e15)) all.wrong("takes", p.takes, "at least 0, and no number that fills a memory");
  });
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> sizes;  // of messages
  all.each("work", of.work, [&](const work_record& w) {
    all.below("thread", w.thread, of.threads.size(), "threads");
    all.times(w, 0);
    if (w.made) sizes[{w.segment, w.sequence}] = w.elements;
  });
  all.each("takes", of.takes, [&](const take_record& t) {
    if (t.by <= t.segment)  // messages go on to segments with larger numbers, so none comes back to where it was
      all.wrong("by", t.by, "more than " + std::to_string(t.segment) + ", the segment that it took from");
    all.times(t, 0);
  });
  all.each("fetches", of.fetches, [&](const fetch_record& f) {
    all.below("thread", f.thread, of.threads.size(), "threads");
    all.times(f, 0);
    const auto made = sizes.find({f.segment, f.sequence});
    if (f.elements != 0 && made != sizes.end() && f.elements + f.skipped < made->second)
      all.wrong(
          "elements", f.elements,
          std::to_string(made->second - std::min(f.skipped, made->second)) + ", as in the message that was fetched");
  });
  all.each("calls", of.calls, [&](const call_record& c) {
    all.below("thread", c.thread, of.threads.size(), "threads");
    all.times(c, 0);
  });
  all.each("samples", of.samples, [&](const sample_record& s) {
    all.below("thread", s.thread, of.threads.size(), "threads");
    if (s.operation != 0) all.number("operation", s.operation, of.operators.size());
    all.below("name", s.name, of.names.size(), "names");
    all.times(s, 0);
  });
  return std::move(all).result();
}

PLUMBLINE_INLINE std::string mistake_in(const batch_log& of) {
  record_check all;
  all.each("batches", of.batches, [&](const batch_record& b) {
    all.times(b, -most_time);
    for (const auto& e : b.elements) {
      all.below("elements[].operation", e.operation, of.operators.size(), "operators");
      all.below("elements[].name", e.name, of.names.size(), "names");
    }
  });
  return std::move(all).result();
}

}  // namespace plumbline::detail
