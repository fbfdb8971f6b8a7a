#pragma once
/// forms: the forms of a pipeline that are compiled in addition to the one as written, and what its type says about
/// running it again.

#include <plumbline/core/share.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/tune/cache_sites.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {
/// optimize<3, with_shares>(p), run<3, with_shares>(p, plan): also compile the form whose caches keep shares.
inline constexpr bool with_shares = true;
}  // namespace plumbline

namespace plumbline::detail {

/// The forms of a pipeline that are compiled: as written, and with caches at the `Sites` sites nearest the root: at
/// one of them or, where streams are joined, at several on different branches. `Shares`: and one with caches at all of
/// them that may keep a share.
template <std::size_t Sites, class P, bool Shares = false> struct forms {
  using element = typename P::element;
  static constexpr auto compiled = [] {
    auto all = sites_of<P>();
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.depth != b.depth ? a.depth < b.depth : a.after > b.after; });
    std::array<site, std::min(Sites, all.size())> near{};
    std::copy_n(all.begin(), near.size(), near.begin());
    std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.after < b.after; });
    return near;
  }();

  static std::vector<std::uint32_t> sites() {
    std::vector<std::uint32_t> numbers;
    for (const auto& s : compiled) numbers.push_back(s.after);
    return numbers;
  }
  /// Those at which a cache may keep a share.
  static std::vector<std::uint32_t> share_sites() {
    std::vector<std::uint32_t> numbers;
    for (const auto& s : compiled)
      if (Shares && s.shares) numbers.push_back(s.after);
    return numbers;
  }
  /// Runs the form with a cache after each of these operators. `shares`: what each keeps; empty: all.
  static stream<element> open(const P& p, std::vector<std::uint32_t> after, const std::vector<share>& shares,
                              const run_options& how) {
    std::optional<stream<element>> made;
    if (!shares.empty()) {
      if (after == share_sites())
        if constexpr (any_shares) made.emplace(start(sharing(p, shares), how));
    } else {
      std::sort(after.begin(), after.end());
      [&]<std::size_t... I>(std::index_sequence<I...>) { (try_one<legal[I]>(p, after, how, made), ...); }
      (std::make_index_sequence<legal.size()>{});
    }
    if (!made) {
      std::string at;
      for (const auto number : after) at += (at.empty() ? "" : " and ") + std::to_string(number);
      throw std::invalid_argument(
          std::string("plumbline: plan: ") + (after.size() > 1 ? "caches" : "a cache") + " after operator " + at +
          (after.size() > 1 ? " are" : " is") + " not among the forms that were compiled" +
          (!shares.empty()    ? "; compile what the plan was made with: run<Sites, with_shares>(p, plan)"
           : after.size() > 1 ? ", or are on the same path; optimize<Sites>(p) compiles more"
                              : "; optimize<Sites>(p) compiles more"));
    }
    return std::move(*made);
  }

 private:
  /// `which`: a set of sites, as bits.
  static constexpr bool has(std::size_t which, std::size_t site) { return (which >> site & 1U) != 0; }
  static constexpr bool apart(std::size_t which) {
    for (std::size_t i = 0; i != compiled.size(); ++i)
      for (std::size_t k = i + 1; k < compiled.size(); ++k)
        if (has(which, i) && has(which, k) && compiled[k].on_the_way_of(compiled[i])) return false;
    return true;
  }
  static constexpr std::size_t most_sites = 10;
  static_assert(Sites <= most_sites,
                "plumbline: optimize<Sites>(p) compiles the forms with caches at 10 sites at most; give fewer");
  static constexpr std::size_t sets = std::size_t{1} << std::min(compiled.size(), most_sites);
  static constexpr std::size_t how_many = [] {
    std::size_t n = 0;
    for (std::size_t which = 0; which != sets; ++which) n += apart(which) ? 1 : 0;
    return n;
  }();
  static constexpr auto legal = [] {
    std::array<std::size_t, how_many> found{};
    for (std::size_t which = 0, n = 0; which != sets; ++which)
      if (apart(which)) found[n++] = which;
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
  static void try_one(const P& p, const std::vector<std::uint32_t>& after, const run_options& how,
                      std::optional<stream<element>>& made) {
    std::vector<std::uint32_t> own;
    for (std::size_t i = 0; i != compiled.size(); ++i)
      if (has(Which, i)) own.push_back(compiled[i].after);
    if (own != after) return;
    made.emplace(start(with_caches<Which>(p), how));
  }
  template <class Form> static stream<element> start(const Form& form, const run_options& how) {
    auto env = setting_of(form, how);
    env.threads = std::max<std::size_t>(env.threads, 1);
    return run_on_graph<tracing::counters>(form, std::move(env));
  }

  static constexpr bool any_shares =
      Shares && std::any_of(compiled.begin(), compiled.end(), [](const site& s) { return s.shares; });
  /// With a cache at each site that may keep a share, the later ones first. `shares`: in the order of the sites.
  template <std::size_t Left = compiled.size()>
  static constexpr auto sharing(const auto& p, const std::vector<share>& shares) {
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

/// True if the pipeline has a source that a second stream would find empty. (A cache belongs to one stream.)
template <class P> inline constexpr bool consumes_a_source = false;
template <class Op, class... Ups>
inline constexpr bool consumes_a_source<node<Op, Ups...>> = node<Op, Ups...>::type_facts.one_pass ||
                                                            (consumes_a_source<Ups> || ...);

/// True if an operator of the pipeline as written keeps all elements for later epochs.
template <class P> inline constexpr bool keeps_elements = false;
template <class Op, class... Ups>
inline constexpr bool keeps_elements<node<Op, Ups...>> = (replays<Op> && !keeps_part<Op>) ||
                                                         (keeps_elements<Ups> || ...);
/// The same for the form that a plan names.
template <class P> bool keeps_elements_by(const plan& p) { return keeps_elements<P> || !p.caches.empty(); }

}  // namespace plumbline::detail
