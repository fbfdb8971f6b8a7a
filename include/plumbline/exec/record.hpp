#pragma once
/// What a stage records of a message: `probe<Trace>` opens the account, `no_record`, `count_record` and `timing_record`
/// are what the loop over the elements carries along. With tracing off all of them are empty.

#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/kernel_chain.hpp>
#include <plumbline/exec/meter.hpp>
#include <plumbline/exec/perhaps.hpp>
#include <plumbline/exec/port.hpp>
#include <plumbline/exec/taking.hpp>
#include <plumbline/exec/timing.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// A part's side of the account.
template <class Trace> struct probe {
  tracer* all;
  account* own;
  struct watch {
    meter m;
    void taken(const message& from) { m.queued(from.since, m.entered()); }
    /// The message is ready to go; what follows is not recorded.
    void made() {
      m.made();
      m.close();
    }
    void sent(message& to) {
      made();
      to.since = m.left();
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

/// Bytes of an element at each place, where they are plain; else 0.
template <class X, class... K> constexpr void sizes_of(std::uint64_t* out) {
  using own = std::remove_cvref_t<decltype(*made_here(std::declval<const X&>()))>;
  *out = std::is_trivially_copyable_v<own> ? sizeof(own) : 0;
  if constexpr (sizeof...(K) != 0)
    []<class F, class... R>(std::type_identity<std::tuple<F, R...>>, std::uint64_t* next) {
      sizes_of<typename F::template output<X>, R...>(next);
    }(std::type_identity<std::tuple<K...>>{}, out + 1);
}
/// Counts, in registers as far as they are needed: before the first kernel that may keep silent there are as many
/// elements as came, after the last as many as leave.
template <class In, class... K> struct count_record {
  static constexpr std::size_t places = sizeof...(K) + 1;
  static constexpr std::array<bool, places> one_to_one{true, (K::makes == arity::one)...}, yields{true, K::yields...},
      passed_by{false, may_be_passed<K>...};
  static constexpr auto size = [] {
    std::array<std::uint64_t, places> each{};
    sizes_of<In, K...>(each.data());
    return each;
  }();
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
  static constexpr bool counts(std::size_t place) {
    return yields[place] && (passed_by[place] || (!as_came(place) && !as_leave(place)));
  }
  static constexpr bool weighs(std::size_t place) { return yields[place] && size[place] == 0; }
  /// Places before this one of which that holds: where its figure is kept.
  template <class Which> static constexpr std::size_t before(std::size_t place, Which which) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < place; ++i) n += which(i) ? 1 : 0;
    return n;
  }
  static constexpr bool looks_at(std::size_t place) { return counts(place) || weighs(place); }
  static constexpr bool counts_nothing = before(places, counts) + before(places, weighs) == 0;
  std::array<std::uint64_t, before(places, counts)> count{};
  std::array<std::uint64_t, before(places, weighs)> bytes{};
  std::array<double, before(places, weighs)> squares{};
  std::uint64_t arrived = 0;  ///< bytes of the head's element

  static constexpr void to(std::uint32_t) {}
  static constexpr void beyond() {}
  template <std::size_t Place, class X> void made(const X& x) {
    if constexpr (counts(Place) || weighs(Place)) {
      const auto* own = made_here(x);
      if (own == nullptr) return;
      if constexpr (counts(Place)) ++count[before(Place, counts)];
      if constexpr (weighs(Place)) {
        if constexpr (Place == 0)
          arrived = nbytes(*own);
        else
          weighed<Place>(nbytes(*own));
      }
    }
  }
  void passed() {
    if constexpr (weighs(0)) weighed<0>(arrived);
  }
  /// `numbers`: of the operators at the places, 0 for a head that is not the stage's own.
  void flush(meter& m, const std::array<std::uint32_t, places>& numbers, std::uint64_t came, std::uint64_t left) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (flush_one<I>(m, numbers[I], came, left), ...); }
    (std::make_index_sequence<places>{});
  }

 private:
  template <std::size_t Place> void weighed(std::uint64_t b) {
    bytes[before(Place, weighs)] += b;
    squares[before(Place, weighs)] += static_cast<double>(b) * static_cast<double>(b);
  }
  template <std::size_t I>
  void flush_one(meter& m, std::uint32_t number, std::uint64_t came, std::uint64_t left) const {
    if constexpr (yields[I]) {
      if (number == 0) return;
      auto n = as_came(I) ? came : left;
      if constexpr (counts(I)) n = count[before(I, counts)];
      if constexpr (weighs(I))
        m.add(number, n, bytes[before(I, weighs)], squares[before(I, weighs)]);
      else
        m.add(number, n, size[I]);
    }
  }
};

/// The same, and times each.
template <class In, class... K> struct timing_record {
  count_record<In, K...>& counts;
  meter& m;
  const std::array<std::uint32_t, sizeof...(K) + 1>& numbers;
  std::uint32_t out = 0;  ///< whose time it is when an element has left; 0: the executor's
  void to(std::uint32_t op) { m.to(op); }
  void beyond() { m.to(out); }
  static constexpr bool looks_at(std::size_t) { return true; }
  template <std::size_t Place, class X> void made(const X& x) {
    counts.template made<Place>(x);
    if (Place != 0 && made_here(x) != nullptr) m.was_timed(numbers[Place]);
  }
  void passed() {
    counts.passed();
    m.was_timed(numbers[0]);
  }
};

}  // namespace plumbline::detail
