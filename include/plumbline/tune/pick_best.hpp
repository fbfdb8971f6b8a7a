#pragma once
/// pick_best(p, q, ...): optimises several pipelines with the same type of elements and keeps the one that ran fastest.
///   auto best = pl::pick_best(decode_then_crop, decode_only_the_crop);

#include <plumbline/tune/optimize.hpp>

#include <algorithm>
#include <exception>

namespace plumbline {

namespace detail {

/// Optimizes pipelines one after the other. Those that came near the fastest run again, alternately.
template <std::size_t Sites, class T> class chooser {
 public:
  /// `names`: of the pipelines, put before the list of their operators; none, or one each.
  chooser(const optimize_options& options, std::size_t pipelines, std::vector<std::string> names)
      : each_(options), names_(std::move(names)) {
    const auto n = static_cast<double>(pipelines), alone = options.passes > 1 && pipelines > 1 ? 0.6 : 1;
    each_.seconds = alone * options.seconds / n;
    again_ = (1 - alone) * options.seconds / n / turns;
  }
  template <class... P> tuned<T> best_of(const P&... p) {
    (optimized(p), ...);
    if (std::none_of(all_.begin(), all_.end(), [](const entry& e) { return e.why.has_value(); }))
      std::rethrow_exception(refused_);
    const double most = all_[fastest()].rate();
    const auto near = [&](const entry& e) { return e.why && e.rate() > most / 2; };
    std::vector<bool> again;
    for (const auto& e : all_) again.push_back(near(e));
    for (int turn = 0; turn != turns && std::count(again.begin(), again.end(), true) > 1 && each_.passes > 1; ++turn)
      with_number([&](const auto& q, std::size_t i) { again[i] ? run_again(q, all_[i]) : void(); }, p...);
    const auto best = fastest();
    auto why = std::move(*all_[best].why);
    why.taken = best;
    for (auto& e : all_) why.alternatives.push_back(std::move(e.came_to));
    std::optional<stream<T>> made;
    with_number([&](const auto& q, std::size_t i) { i == best ? void(made.emplace(open(q, why.made.best))) : void(); },
                p...);
    return tuned<T>(std::move(*made), std::make_shared<const tuning>(std::move(why)));
  }

 private:
  static constexpr int turns = 2;
  struct entry {
    attempt came_to{};
    std::optional<tuning> why{};  // empty: refused
    double rate() const { return came_to.count > 0 ? came_to.observed : came_to.predicted; }
  };

  template <class F, class... P> static void with_number(F&& f, const P&... p) {
    std::size_t i = 0;
    (f(p, i++), ...);
  }
  std::size_t fastest() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i != all_.size(); ++i)
      if (!all_[best].why || (all_[i].why && all_[i].rate() > all_[best].rate())) best = i;
    return best;
  }
  template <class P> stream<T> open(const P& p, const plan& how) const { return run<Sites>(p, how, each_.run); }

  template <class P> void optimized(const P& p) {
    entry e;
    if (!names_.empty()) e.came_to.what = names_[all_.size()] + ": ";
    for (const auto& row : layout(p)) e.came_to.what += (row.number == 1 ? "" : " | ") + row.name;
    try {
      e.why = optimize<Sites>(p, each_).why();  // its stream was never started
      const auto& ran = e.why->attempts[e.why->kept];
      e.came_to = {e.came_to.what + "; " + ran.what, ran.predicted, ran.observed, ran.seconds, ran.count};
    } catch (const cache_too_big& refused) {
      e.came_to.what += "; refused: " + std::string(refused.what());
      if (!refused_) refused_ = std::current_exception();
    }
    all_.push_back(std::move(e));
  }
  template <class P> void run_again(const P& p, entry& e) {
    const auto seen = live_trials<Sites, P>(p, each_.run).again(&e.why->made.best, again_);
    e.came_to.ran_again(seen.rate, seen.seconds, seen.count);
  }

  optimize_options each_;
  double again_ = 0;  ///< seconds of one repeated run
  std::vector<std::string> names_;
  std::vector<entry> all_;
  std::exception_ptr refused_;
};

template <std::size_t Sites = detail::default_sites, class First, class... More>
auto pick_named(const optimize_options& options, std::vector<std::string> names, First first, More... more) {
  constexpr bool pipelines = (pipeline<First> && ... && pipeline<More>);
  static_assert(pipelines,
                "plumbline: pick_best chooses between pipelines, and f does not return one; return a source "
                "and what is piped into it, not a stream that runs");
  if constexpr (pipelines) {
    using T = typename First::element;
    constexpr bool alike = (std::same_as<T, typename More::element> && ...);
    static_assert(alike,
                  "plumbline: pick_best(p, q) chooses between pipelines that make the same type of element, and these "
                  "make different ones; convert with a map at the end");
    if constexpr (alike)
      return chooser<Sites, T>(options, 1 + sizeof...(More), std::move(names)).best_of(first, more...);
    else
      return run_nothing();
  } else {
    return run_nothing();
  }
}

}  // namespace detail

/// Returns a stream of the fastest pipeline's elements; the others are destroyed before it starts. They share
/// options.seconds. The result of each is in why().alternatives and shown by explain. A pipeline whose own cache does
/// not fit into the memory is not chosen; if that is true of all, throws cache_too_big. Other errors: those of
/// optimize.
template <std::size_t Sites = detail::default_sites, pipeline First, pipeline... More>
auto pick_best(const optimize_options& options, First first, More... more) {
  return detail::pick_named<Sites>(options, {}, std::move(first), std::move(more)...);
}
template <std::size_t Sites = detail::default_sites, pipeline First, pipeline... More>
auto pick_best(First first, More... more) {
  return pick_best<Sites>(optimize_options{}, std::move(first), std::move(more)...);
}

}  // namespace plumbline
