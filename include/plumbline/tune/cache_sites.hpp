#pragma once
/// cache_sites, with_cache: where a cache may be put into a pipeline, and the pipeline with one there, which is another
/// type.
///   constexpr auto sites = cache_sites<P>();      // operator numbers, upstream first
///   auto q = with_cache<sites.back()>(p);          // the same elements in the same order

#include <plumbline/core/cache_levels.hpp>
#include <plumbline/core/form.hpp>

#include <array>
#include <cstdint>
#include <utility>

namespace plumbline {

namespace detail {

/// Number of operators in the first I of these pipelines.
template <std::size_t I, class... Ups> constexpr std::uint32_t operators_before() {
  std::uint32_t n = 0;
  std::size_t i = 0;
  ((n += i++ < I ? operators_in<Ups> : 0), ...);
  return n;
}

template <class Op> using as_it_is = Op;

/// Which operator stores the elements of P: by what it should keep.
template <class P, class... Kept> struct keeper_for : keeper<P> {};
template <class P> struct keeper_for<P, cache_levels> : level_keeper<P> {};

/// The pipeline with a cache after operator `At`. `Before`: the number of operators to the left of p; `Mark`: wraps the
/// cache's type. `of`: the share that it keeps, or cache_levels; without it, all.
template <std::uint32_t At, std::uint32_t Before, template <class> class Mark, class Op, class... Ups, class... Kept>
constexpr auto cached(const node<Op, Ups...>& p, const Kept&... of) {
  if constexpr (At == Before + operators_in<node<Op, Ups...>>) {
    using made_by = keeper_for<node<Op, Ups...>, Kept...>;
    using op = Mark<std::remove_cvref_t<decltype(made_by::keeping(of...))>>;
    return node<op, node<Op, Ups...>>(op{made_by::keeping(of...)}, p);
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto branch = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        constexpr auto before = Before + operators_before<K, Ups...>();
        const auto& up = detail::at<K>(p.ups);
        if constexpr (At > before && At <= before + operators_in<std::remove_cvref_t<decltype(up)>>)
          return cached<At, before, Mark>(up, of...);
        else
          return up;
      };
      return node<Op, decltype(branch(std::integral_constant<std::size_t, I>{}))...>(
          p.op, branch(std::integral_constant<std::size_t, I>{})...);
    }
    (std::index_sequence_for<Ups...>{});
  }
}

/// True if every operator still accepts its upstream: a cache may end access by index, which an exact shuffle needs.
template <class P> inline constexpr bool holds_together = true;
template <class Op, class... Ups> inline constexpr bool holds_together<node<Op, Ups...>> = (holds_together<Ups> && ...);
template <class Op, class Up>
  requires requires { Op::template accepts<Up>; }
inline constexpr bool holds_together<node<Op, Up>> = Op::template accepts<Up> && holds_together<Up>;

/// True if keeping this operator's elements can save work.
template <class P>
inline constexpr bool costs_something =
    form_of<P> != form::renumber&& form_of<P> != form::async_boundary&& form_of<P> != form::index_cache &&
    !(form_of<P> == form::source && P::type_facts.indexed) && !replays<typename P::op_type>;

/// A cache after operator `after`: it saves operators `first` to `after`, and `depth` more operators follow. `shares`:
/// it may keep a share of the elements.
struct site {
  std::uint32_t after = 0, first = 0, depth = 0;
  bool shares = false;
  /// True if this site is downstream of `o`, or the same.
  constexpr bool on_the_way_of(const site& o) const { return first <= o.after && o.after <= after; }
};

/// `Kept`: a cache that the user wrote is downstream, which may keep the same elements as a share here would.
template <class Whole, std::uint32_t Before, std::uint32_t Depth, bool Kept, class Op, class... Ups>
constexpr void list_sites(const node<Op, Ups...>*, auto&& found) {
  using P = node<Op, Ups...>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (list_sites < Whole, Before + operators_before<I, Ups...>(), Depth + 1,
     Kept || replays < Op >> (static_cast<const Ups*>(nullptr), found), ...);
  }
  (std::index_sequence_for<Ups...>{});
  if constexpr (costs_something<P> && keeper<P>::op::template accepts<P>) {
    constexpr std::uint32_t at = Before + operators_in<P>;
    using with = decltype(cached<at, 0, as_it_is>(std::declval<const Whole&>()));
    if constexpr (holds_together<with>)
      found(site{at, Before + 1, Depth, !Kept && keeper<P>::share_op::template accepts<P>});
  }
}

template <class P> constexpr std::size_t cache_site_count() {
  std::size_t n = 0;
  list_sites<P, 0, 0, false>(static_cast<const P*>(nullptr), [&](const site&) { ++n; });
  return n;
}
template <class P> constexpr auto sites_of() {
  std::array<site, cache_site_count<P>()> sites{};
  std::size_t n = 0;
  list_sites<P, 0, 0, false>(static_cast<const P*>(nullptr), [&](const site& s) { sites[n++] = s; });
  return sites;
}

}  // namespace detail

/// Returns the numbers of the operators after which a cache is legal and may save work, upstream first.
template <pipeline P> constexpr auto cache_sites() {
  constexpr auto all = detail::sites_of<P>();
  std::array<std::uint32_t, all.size()> numbers{};
  for (std::size_t i = 0; i != all.size(); ++i) numbers[i] = all[i].after;
  return numbers;
}

/// Returns p with a cache after operator `At`: the same elements with the same lineage and random numbers.
template <std::uint32_t At, pipeline P> constexpr auto with_cache(const P& p) {
  return detail::cached<At, 0, detail::as_it_is>(p);
}

}  // namespace plumbline
