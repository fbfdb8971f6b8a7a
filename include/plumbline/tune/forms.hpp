#pragma once
/// forms: the forms of a pipeline that are compiled in addition to the one as written, and what its type says about
/// running it again.

#include <plumbline/core/share.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/tune/cache_sites.hpp>
#include <plumbline/tune/consumes_a_source.hpp>
#include <plumbline/tune/form_sites.hpp>
#include <plumbline/tune/plan_options.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The caches of plans that keep elements in memory. (Another policy: tune/on_disk.hpp.)
struct in_memory {
  using kept = share;  // what a cache is made with
  static kept nothing() { return share(0, 0); }
  /// Cache `c` of the plan.
  static kept of(const plan& by, std::size_t c) { return by.shares.empty() ? share() : by.shares[c]; }
  void prepare(const plan& by) const {
    if (!by.on_disk.empty())
      throw std::invalid_argument(
          "plumbline: plan: it keeps elements on disk; give the folder: run(p, plan, on_disk{folder, bytes})");
  }
};

/// The forms of a pipeline that are compiled: as written; with caches at all of the `Sites` sites nearest the root that
/// may keep a share of the elements (each keeps the share that the plan gives it, none by default); and, where elements
/// are not made by index, so that a cache there keeps all, one for each such site and, where streams are joined, for
/// several on different branches. Without a number, the sites of compiled_of().
template <std::size_t Sites, class P, class Caches = in_memory, class Trace = tracing::counters> struct forms {
  using element = typename P::element;
  static constexpr auto by_depth = [] {
    auto all = sites_of<P>();
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.depth != b.depth ? a.depth < b.depth : a.after > b.after; });
    return all;
  }();
  static constexpr auto is_compiled = compiled_of<Sites>(by_depth);
  static constexpr auto compiled = [] {
    std::array<site, std::count(is_compiled.begin(), is_compiled.end(), true)> some{};
    for (std::size_t i = 0, n = 0; i != by_depth.size(); ++i)
      if (is_compiled[i]) some[n++] = by_depth[i];
    std::sort(some.begin(), some.end(), [](const auto& a, const auto& b) { return a.after < b.after; });
    return some;
  }();

  static std::vector<std::uint32_t> sites() { return all_of(compiled); }
  /// Those at which a cache may keep a share.
  static std::vector<std::uint32_t> share_sites() { return shares_of(compiled); }

  static stream<element> open_as_written(const P& p, const run_options& how) {
    return stream<element>(start(p, how), how.first_epoch);
  }
  /// Runs the form that the plan names, with the plan's options where `stated` has none.
  static stream<element> open(const P& p, const plan& by, const run_options& stated, Caches caches = {}) {
    return stream<element>(made_by(p, by, stated, false, std::move(caches)), stated.first_epoch);
  }
  /// The same form as a run whose limits may change; of the plan's options only the number of threads is used.
  static std::unique_ptr<runtime> open_live(const P& p, const plan& by, const run_options& stated, Caches caches = {}) {
    return made_by(p, by, stated, true, std::move(caches));
  }

 private:
  static std::unique_ptr<runtime> made_by(const P& p, const plan& by, const run_options& stated, bool adjustable,
                                          Caches caches) {
    std::unique_ptr<runtime> made;
    static_cast<void>(setting_of(p, stated));  // errors name operators as the user numbers them
    caches.prepare(by);
    if (by.caches.empty()) {
      made = make(p, by, {}, stated, adjustable);
    } else if (const auto kept = kept_by(by, caches)) {
      if constexpr (any_shares) made = make(sharing(p, *kept), by, share_sites(), stated, adjustable);
    } else if (by.shares.empty()) {
      [&]<std::size_t... I>(std::index_sequence<I...>) { (try_one<legal[I]>(p, by, stated, adjustable, made), ...); }
      (std::make_index_sequence<legal.size()>{});
    }
    if (!made) refuse_form(by);
    return made;
  }
  /// What each cache of the form with shares keeps; nullopt if the plan has a cache that this form does not have.
  static std::optional<std::vector<typename Caches::kept>> kept_by(const plan& by, const Caches& caches) {
    const auto sites = share_sites();
    const auto places = places_of(by, sites);
    if (!places) return std::nullopt;
    std::vector<typename Caches::kept> kept(sites.size(), Caches::nothing());
    for (std::size_t c = 0; c != places->size(); ++c) kept[(*places)[c]] = caches.of(by, c);
    return kept;
  }

  /// `which`: a set of sites, as bits.
  static constexpr bool has(std::size_t which, std::size_t site) { return (which >> site & 1U) != 0; }
  /// True for the sets that have a form of their own: no two on one path, and not all in the form with shares.
  static constexpr bool needs_form(std::size_t which) {
    bool keeps_all = false;
    for (std::size_t i = 0; i != compiled.size(); ++i) {
      if (!has(which, i)) continue;
      keeps_all = keeps_all || !compiled[i].shares;
      for (std::size_t k = i + 1; k < compiled.size(); ++k)
        if (has(which, k) && compiled[k].on_the_way_of(compiled[i])) return false;
    }
    return keeps_all;
  }
  static constexpr std::size_t most_sites = 10;
  static_assert(Sites == default_sites || Sites <= most_sites,
                "plumbline: optimize<Sites>(p) compiles the forms with caches at 10 sites at most; give fewer");
  static constexpr std::size_t sets = std::size_t{1} << std::min(compiled.size(), most_sites);
  static constexpr std::size_t how_many = [] {
    std::size_t n = 0;
    for (std::size_t which = 0; which != sets; ++which) n += needs_form(which) ? 1 : 0;
    return n;
  }();
  static constexpr auto legal = [] {
    std::array<std::size_t, how_many> found{};
    for (std::size_t which = 0, n = 0; which != sets; ++which)
      if (needs_form(which)) found[n++] = which;
    return found;
  }();
  /// Adds the later caches first, so that the earlier sites keep their numbers.
  template <std::size_t Which, std::size_t Left = compiled.size()> static constexpr auto with_caches(const auto& p) {
    if constexpr (Left == 0)
      return p;
    else if constexpr (has(Which, Left - 1))
      return with_caches<Which, Left - 1>(cached<compiled[Left - 1].after, 0, added>(p));
    else
      return with_caches<Which, Left - 1>(p);
  }
  template <std::size_t Which>
  static void try_one(const P& p, const plan& by, const run_options& stated, bool adjustable,
                      std::unique_ptr<runtime>& made) {
    if (names_exactly(by, compiled, Which)) made = make(with_caches<Which>(p), by, by.caches, stated, adjustable);
  }
  /// `caches`: those of the form.
  template <class Form>
  static std::unique_ptr<runtime> make(const Form& form, const plan& by, const std::vector<std::uint32_t>& caches,
                                       const run_options& stated, bool adjustable) {
    return start(form, adjustable ? options_of_live(by, caches, stated) : options_of_form(by, caches, stated),
                 adjustable);
  }
  template <class Form>
  static std::unique_ptr<runtime> start(const Form& form, const run_options& how, bool adjustable = false) {
    auto env = setting_of(form, how);
    env.threads = std::max<std::size_t>(env.threads, 1);
    env.adjustable = adjustable;
    return std::make_unique<graph_runtime<Trace, Form>>(form, std::move(env));
  }

  static constexpr bool any_shares =
      std::any_of(compiled.begin(), compiled.end(), [](const site& s) { return s.shares; });
  /// With a cache at each site that may keep a share, the later ones first. `shares`: in the order of the sites.
  template <std::size_t Left = compiled.size()>
  static constexpr auto sharing(const auto& p, const std::vector<typename Caches::kept>& shares) {
    if constexpr (Left == 0) {
      return p;
    } else if constexpr (compiled[Left - 1].shares) {
      constexpr auto before =
          std::count_if(compiled.begin(), compiled.begin() + Left - 1, [](const site& s) { return s.shares; });
      const auto& kept = shares[static_cast<std::size_t>(before)];
      return sharing<Left - 1>(cached<compiled[Left - 1].after, 0, added>(p, kept), shares);
    } else {
      return sharing<Left - 1>(p, shares);
    }
  }
};

/// True if an operator of the pipeline as written keeps all elements for later epochs.
template <class P> inline constexpr bool keeps_elements = false;
template <class Op, class... Ups>
inline constexpr bool keeps_elements<node<Op, Ups...>> = (replays<Op> && !keeps_part<Op>) ||
                                                         (keeps_elements<Ups> || ...);
/// The same for the form that a plan names.
template <class P> bool keeps_elements_by(const plan& p) { return keeps_elements<P> || !p.caches.empty(); }

}  // namespace plumbline::detail
