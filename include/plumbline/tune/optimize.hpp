#pragma once
/// optimize(p): runs the pipeline for a moment, works out what limits it and what would be fastest on this machine, and
/// gives the stream of that form (Plumber: Kuchnik et al., MLSys 2022).
///   auto tuned = pl::optimize(train);        // trace -> rates -> program -> plan -> the form it names -> trace -> ...
///   std::cout << pl::explain(tuned);         // why
///   for (auto& batch : tuned) step(batch);   // the elements of run(train), in the same order
///
/// A cache is another type of pipeline, so the forms with a cache at one of the `Places` legal places nearest the root
/// are compiled beside the one as written, and, where streams fork, with caches on several branches.
///
/// Passes: the pipeline as written is traced and a plan is made. The planned form is traced as it goes on once its
/// caches are full, and the plan's numbers are made again from that: what its parts cost there, caches included.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/tune/decide.hpp>
#include <plumbline/tune/forms.hpp>
#include <plumbline/tune/run_plan.hpp>

namespace plumbline {

/// A stream like any other, that knows its plan. It can be traced, but is not until record(true).
template <class T> class tuned : public stream<T> {
 public:
  tuned(stream<T> s, tuning why) : stream<T>(std::move(s)), why_(std::move(why)) {}
  /// What is running, as plain data: it saves (ext/json.hpp) and runs again, run(p, plan).
  const plumbline::plan& plan() const { return why_.made.best; }
  /// What was seen and concluded; explain(tuned) shows it.
  const tuning& why() const { return why_; }

 private:
  tuning why_;
};

namespace detail {

/// Runs the forms that were compiled, on this machine.
template <std::size_t Places, class P> class live_trials : public trials {
  using forms = detail::forms<Places, P>;
  using element = typename P::element;

 public:
  live_trials(const P& p, const run_options& stated) : pipeline_(p), stated_(stated) {}

  run traced(const plan* how, double seconds) override {
    auto s = open(how);
    const auto seen = watch(s, how, seconds, how != nullptr ? look::when_steady : look::at_all);
    s.stop();
    return {seen, s.traced()};
  }
  observed_rate again(const plan* how, double seconds) override {
    auto s = open(how);
    return watch(s, how, seconds, look::at_all);
  }
  std::vector<std::uint32_t> cache_sites() const override { return forms::sites(); }
  double passed() override { return 1e-9 * static_cast<double>(wall_now() - begin_); }

  stream<element> open(const plan* how) const {
    if (how == nullptr) return forms::open(pipeline_, {}, stated_);
    return forms::open(pipeline_, how->caches, options_of(*how, stated_));
  }

 private:
  observed_rate watch(stream<element>& s, const plan* how, double seconds, look at) const {
    const bool cached = how != nullptr ? keeps_elements_by<P>(*how) : keeps_elements<P>;
    watched_stream<element> seen(s);
    return observe_steady(seen, seconds, cached, stated_.first_epoch, at);
  }

  const P& pipeline_;
  const run_options& stated_;
  const std::int64_t begin_ = wall_now();  // ns
};

}  // namespace detail

/// The fastest form of p on this machine, begun anew: a stream of the same elements in the same order, draws included.
/// Takes about options.seconds of running it. Errors: those of run; std::invalid_argument where nothing can be planned
/// (no elements) or an option makes no sense; cache_too_big where a cache that p itself has does not fit; those of
/// measure_disk where that is asked for.
template <std::size_t Places = 3, pipeline P> auto optimize(P p, optimize_options options = {}) {
  constexpr bool copies = std::copy_constructible<P>, again = !detail::consumes_a_source<P>;
  static_assert(copies,
                "plumbline: optimize(p) runs p several times, and a function or source in p cannot be copied (a lambda "
                "that holds a unique_ptr?); hold it in shared_ptr");
  static_assert(
      again,
      "plumbline: optimize(p) runs p before you do, and its source can be walked only once: elements would be "
      "lost; use run(p), or put the elements into a container first");
  if constexpr (copies && again) {
    detail::live_trials<Places, P> runs(p, options.run);
    auto why = detail::decide(runs, options);
    auto best = runs.open(&why.made.best);
    best.record(false);
    return tuned<typename P::element>(std::move(best), std::move(why));
  } else {
    return detail::run_nothing();
  }
}

}  // namespace plumbline
