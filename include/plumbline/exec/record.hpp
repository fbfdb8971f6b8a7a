#pragma once
/// What a stage records of a message: `probe<Trace>` opens the account, `no_record`, `count_record` and `timing_record`
/// are what the loop over the elements carries along. With tracing off all of them are empty.

#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/meter.hpp>
#include <plumbline/exec/perhaps.hpp>
#include <plumbline/exec/port.hpp>
#include <plumbline/exec/taking.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace plumbline::detail {

/// A part's side of the account.
template <class Trace> struct probe {
  tracer* all;
  account* own;
  struct watch {
    meter m;
    void taken(const message& from) { m.queued(from.since); }
    /// The message is ready to go; what follows is not recorded.
    void made() {
      m.made();
      m.close();
    }
    void sent(message& to) {
      made();
      if (!m.resting()) to.since = wall_now();
    }
    meter* get() { return &m; }
  };
  watch open() const { return {{*all, *own}}; }
};
template <> struct probe<tracing::off> {
  struct watch {
    void taken(const message&) {}
    void made() {}
    void sent(message&) {}
    meter* get() { return nullptr; }
  };
  watch open() const { return {}; }
};

/// A run's own records: a tracer, or nothing.
template <class Trace> class run_records {
 public:
  template <class P> explicit run_records(const P& p) : tracer_(std::make_unique<tracer>(layout(p))) {
    static_assert(operators_in<P> <= meter::most_operators,
                  "plumbline: run: a traced pipeline may have at most 255 operators");
  }
  tracer* get() const { return tracer_.get(); }
  std::vector<std::uint32_t> everything() const { return tracer_->numbers(); }
  void record(bool wanted) {
    tracer_->record(wanted);
    if (!wanted && calls_ != nullptr) calls_->forget();
  }
  void begun() { tracer_->begun(); }
  void ended() { tracer_->ended(); }
  template <class F> auto waiting(F&& f) {
    if (tracer_->resting()) return f();
    const auto since = wall_now();
    auto got = f();
    tracer_->waited(wall_now() - since);
    return got;
  }
  /// The consumer's calls from here on, and what they fetch.
  void watch(taking& calls) { calls_ = &calls; }
  void entered() {
    if (!tracer_->resting()) calls_->entered();
  }
  void left(std::size_t elements) {
    if (!tracer_->resting()) calls_->left(elements);
  }
  /// The consumer was given something.
  void given() {
    if constexpr (Trace::samples) tracer_->sample();
  }
  trace snapshot(std::size_t threads) const {
    auto t = tracer_->snapshot(threads);
    if (calls_ != nullptr) t.consumer_seconds = calls_->seconds();
    return t;
  }

 private:
  std::unique_ptr<tracer> tracer_;
  taking* calls_ = nullptr;
};
template <> class run_records<tracing::off> {
 public:
  template <class P> explicit run_records(const P&) {}
  static tracer* get() { return nullptr; }
  static std::vector<std::uint32_t> everything() { return {}; }
  static void record(bool) {}
  static void begun() {}
  static void ended() {}
  template <class F> static auto waiting(F&& f) { return f(); }
  static void watch(taking&) {}
  static void entered() {}
  static void left(std::size_t) {}
  static void given() {}
  static trace snapshot(std::size_t) { return {}; }
};

/// Pumps a cursor, and times all of it or nothing.
template <class Trace, class Cursor, class Sink>
pulse pump_timed(Cursor& cursor, const Sink& sink, std::size_t budget, [[maybe_unused]] meter* watch) {
  if constexpr (Trace::on) {
    constexpr std::size_t borders = 8;  // of an element's way through a serial part, about
    if (watch->grant(budget, budget, borders) != 0) {
      struct timing {
        meter& m;
        explicit timing(meter& w) : m(w) { m.begin_timing(); }
        ~timing() { m.end_timing(); }
      } on{*watch};
      return cursor.pump(sink, budget);
    }
  }
  return cursor.pump(sink, budget);
}

/// Elements are made at places: 0 by the head of the line, I + 1 by kernel I. `made` looks at one as it passes, `to`
/// says whose time it is from here on.
struct no_record {
  static constexpr void to(std::uint32_t) {}
  template <std::size_t Place, class X> static constexpr void made(const X&) {}
};

/// Counts, in registers as far as they are needed: before the first kernel that may keep silent there are as many
/// elements as came, after the last as many as leave.
template <class... K> struct count_record {
  static constexpr std::size_t places = sizeof...(K) + 1;
  static constexpr std::array<bool, places> one_to_one{true, K::one_to_one...}, yields{true, K::yields...},
      passed_by{false, may_be_passed<K>...};
  static constexpr bool as_came(std::size_t place) {
    for (std::size_t i = 0; i <= place; ++i)
      if (!one_to_one[i]) return false;
    return true;
  }
  static constexpr bool as_leave(std::size_t place) {
    for (std::size_t i = place + 1; i < places; ++i)
      if (!one_to_one[i]) return false;
    return true;
  }
  std::array<std::uint64_t, places> count{}, bytes{};
  std::array<double, places> squares{};

  static constexpr void to(std::uint32_t) {}
  template <std::size_t Place, class X> void made(const X& x) {
    if constexpr (!yields[Place]) return;
    const auto* own = made_here(x);
    if (own == nullptr) return;
    if constexpr (passed_by[Place] || (!as_came(Place) && !as_leave(Place))) ++count[Place];
    if constexpr (!std::is_trivially_copyable_v<std::remove_pointer_t<decltype(own)>>) {
      const auto b = nbytes(*own);
      bytes[Place] += b;
      squares[Place] += static_cast<double>(b) * static_cast<double>(b);
    } else {
      size[Place] = sizeof(*own);
    }
  }
  /// `numbers`: of the operators at the places, 0 for a head that is not the stage's own.
  void flush(meter& m, const std::array<std::uint32_t, places>& numbers, std::uint64_t came, std::uint64_t left) const {
    for (std::size_t i = 0; i != places; ++i) {
      const auto n = passed_by[i] ? count[i] : as_came(i) ? came : as_leave(i) ? left : count[i];
      if (numbers[i] != 0 && yields[i])
        m.add(numbers[i], n, bytes[i] + n * size[i], squares[i] + static_cast<double>(n * size[i] * size[i]));
    }
  }

 private:
  std::array<std::uint64_t, places> size{};
};

/// The same, and times each.
template <class... K> struct timing_record {
  count_record<K...>& counts;
  meter& m;
  const std::array<std::uint32_t, sizeof...(K) + 1>& numbers;
  void to(std::uint32_t op) { m.to(op); }
  template <std::size_t Place, class X> void made(const X& x) {
    counts.template made<Place>(x);
    if (made_here(x) != nullptr) m.was_timed(numbers[Place]);
  }
};

}  // namespace plumbline::detail
