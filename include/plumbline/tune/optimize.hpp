#pragma once
/// optimize(p): runs the pipeline briefly, determines its bottleneck and its fastest form on this machine, and returns
/// the stream of that form (Plumber: Kuchnik et al., MLSys 2022).
///   auto tuned = pl::optimize(train);        // trace -> rates -> program -> plan -> the form it names -> trace -> ...
///   std::cout << pl::explain(tuned);         // why
///   for (auto& batch : tuned) step(batch);   // the elements of run(train), in the same order
///
/// A pipeline with caches is another type, so one more form is compiled in addition to the one as written: with a cache
/// at each legal site (of many, eight of them), each of which keeps the share of the elements that the plan says: all,
/// some, or none. Sites whose elements are not made by index cannot keep a share and have forms of their own, so only
/// the three nearest the root are compiled. optimize<Sites>(p): the `Sites` sites nearest the root, of any kind.
///
/// Passes: the pipeline as written is traced and a plan is made. The planned form is traced once its caches are full,
/// and the plan's numbers are corrected by that: by what its parts cost there, caches included. If they show that other
/// caches would be a tenth better, these are tried, too.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/tune/decide.hpp>
#include <plumbline/tune/forms.hpp>
#include <plumbline/tune/run_plan.hpp>
#include <plumbline/tune/stated_limits.hpp>

namespace plumbline {

/// A stream that also has its plan. It can be traced, but is not until record(true).
template <class T> class tuned : public stream<T> {
 public:
  tuned(stream<T> s, std::shared_ptr<const tuning> why) : stream<T>(std::move(s)), why_(std::move(why)) {}
  /// The plan that is running, as plain data: it can be saved (ext/json.hpp) and run again with run(p, plan).
  const plumbline::plan& plan() const { return why_->made.best; }
  /// What was observed and concluded; explain(tuned) shows it.
  const tuning& why() const { return *why_; }

 private:
  std::shared_ptr<const tuning> why_;
};

namespace detail {

/// Runs the forms that were compiled, on this machine.
template <std::size_t Sites, class P, class Caches = in_memory> class live_trials : public trials {
  using forms = detail::forms<Sites, P, Caches>;
  using element = typename P::element;

 public:
  live_trials(const P& p, const run_options& stated, Caches caches = {})
      : pipeline_(p), stated_(stated), caches_(std::move(caches)) {}

  run traced(const plan* how, double seconds) override {
    auto s = open(how);
    const auto seen = watch(s, how, seconds, how != nullptr ? look::when_steady : look::at_all);
    s.stop();
    return {seen, with_stated_limits(s.traced(), stated_parallelism(names_of(pipeline_), stated_))};
  }
  observed_rate again(const plan* how, double seconds) override {
    auto s = open(how);
    return watch(s, how, seconds, look::at_all);
  }
  std::vector<std::uint32_t> cache_sites() const override { return forms::sites(); }
  std::vector<std::uint32_t> share_sites() const override { return forms::share_sites(); }
  std::vector<std::uint32_t> disk_sites() const override {
    if constexpr (requires { caches_.template sites<P>(); })
      return caches_.template sites<P>();
    else
      return {};
  }
  cache_disk disk_for_caches(const trace& seen) override {
    if constexpr (requires { caches_.disk(seen, stated_); })
      return caches_.disk(seen, stated_);
    else
      return {};
  }
  double passed() override { return 1e-9 * static_cast<double>(wall_now() - begin_); }

  stream<element> open(const plan* how) const {
    return how == nullptr ? forms::open_as_written(pipeline_, stated_) : forms::open(pipeline_, *how, stated_, caches_);
  }

 private:
  observed_rate watch(stream<element>& s, const plan* how, double seconds, look at) const {
    const bool kept = how != nullptr ? keeps_elements_by<P>(*how) : keeps_elements<P>;
    watched_stream<element> seen(s, persists_in<P>);
    return observe_steady(seen, seconds, kept, stated_.first_epoch, at);
  }

  const P& pipeline_;
  const run_options& stated_;
  const Caches caches_;
  const std::int64_t begin_ = wall_now();  // ns
};

}  // namespace detail

/// Returns the fastest form of p on this machine, not yet started: a stream of the same elements in the same order,
/// with the same random numbers. Runs p for about options.seconds. Errors: those of run; std::invalid_argument if
/// nothing can be planned (no elements) or an option is invalid; cache_too_big if a cache that p itself has does not
/// fit; those of measure_disk if it is requested.
template <std::size_t Sites = detail::default_sites, pipeline P, class Caches = detail::in_memory>
PLUMBLINE_CALLS_SETUP auto optimize(P p, optimize_options options = {}, const Caches& caches = {}) {
  constexpr bool copies = std::copy_constructible<P>, again = !detail::consumes_a_source<P>;
  static_assert(copies,
                "plumbline: optimize(p) runs p several times, and a function or source in p cannot be copied (a lambda "
                "that holds a unique_ptr?); hold it in shared_ptr");
  static_assert(
      again,
      "plumbline: optimize(p) runs p before you do, and its source can be walked only once: elements would be "
      "lost; use run(p), or put the elements into a container first");
  if constexpr (copies && again) {
    detail::live_trials<Sites, P, Caches> runs(p, options.run, caches);
    auto why = detail::decide(runs, options);
    auto best = runs.open(&why->made.best);
    best.record(false);
    return tuned<typename P::element>(std::move(best), std::move(why));
  } else {
    return detail::run_nothing();
  }
}

}  // namespace plumbline
