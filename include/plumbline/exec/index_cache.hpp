#pragma once
/// index cache: how a cache works over an indexed stream. The segment stays indexed: a `lookup_kernel` before its
/// kernels looks the element up, a found element bypasses the kernels, and a `store_kernel` after them stores a new
/// one. So each stage still does its own work, the cached stream stays indexed, each element is made once, in whatever
/// order elements are first requested, and an epoch that is left early keeps what it has cached.

#include <plumbline/core/element_store.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/exec/perhaps.hpp>
#include <plumbline/exec/segment.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace plumbline::detail {

/// The base of the index cache's own kernels. `Blocks`: the store may wait (for a network); otherwise they never wait,
/// even on I/O threads.
template <bool Blocks> struct index_cache_kernel {
  static constexpr arity makes = arity::one;
  static constexpr bool waits = Blocks, tries = !Blocks, uses_position = false;
};

template <class Store, bool Blocks> struct lookup_kernel : index_cache_kernel<Blocks> {
  template <class In> using output = perhaps<In, found_in<Store>>;
  static constexpr bool yields = false, asks_ahead = asked_ahead<Store>,
                        says_what_it_has = !Blocks && knows_at_once<Store>;
  std::string_view name;
  std::uint32_t id;
  std::shared_ptr<const Store> store;

  template <class In> output<In> transform(In&& x, const lineage& at, const position_context&) const {
    if (auto known = guarded(name, id, at, [&] { return store->find(at.index); }))
      return output<In>::found(std::move(known));
    return output<In>::of(std::move(x));
  }
  template <class In>
  std::optional<output<In>> try_transform(In& x, const lineage& at, const position_context& w) const {
    return transform(std::move(x), at, w);
  }
};

/// A kernel that found elements bypass.
template <class Found, class Kernel> struct passed : Kernel {
  template <class In> using output = perhaps<typename Kernel::template output<typename In::element>, Found>;
  explicit passed(Kernel k) : Kernel(std::move(k)) {}

  template <class In> output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    if (x.known) return output<In>::found(std::move(x.known));
    return output<In>::of(Kernel::transform(std::move(*x.made), at, where));
  }
  template <class In>
  std::optional<output<In>> try_transform(In& x, const lineage& at, const position_context& where) const {
    if (x.known) return output<In>::found(std::move(x.known));
    auto y = Kernel::try_transform(*x.made, at, where);
    if (!y) return std::nullopt;
    return output<In>::of(*std::move(y));
  }
};

template <class Found, class Kernel> inline constexpr bool may_be_passed<passed<Found, Kernel>> = true;

template <class T, element_store<T> Store, bool Blocks> struct store_kernel : index_cache_kernel<Blocks> {
  template <class> using output = T;
  static constexpr bool yields = true;
  std::string_view name;
  std::uint32_t id;
  std::shared_ptr<Store> store;

  template <class In> T transform(In&& x, const lineage& at, const position_context&) const {
    return guarded(name, id, at, [&]() -> T {
      if (x.known) return *std::move(x.known);
      store->keep(at.index, *x.made);
      return *std::move(x.made);
    });
  }
  template <class In> std::optional<T> try_transform(In& x, const lineage& at, const position_context& where) const {
    return transform(std::move(x), at, where);
  }
};

/// The store of a cache for elements 0 to size - 1.
template <class In, class Op> auto store_of(const Op& op, std::uint64_t size, const replay_context& cx) {
  if constexpr (requires { op.template open_store<In>(size, cx); })
    return op.template open_store<In>(size, cx);
  else
    return std::make_shared<typename Op::template store<In>>(size);
}

/// The segment with an index cache over all of it, which looks up in part `Before` and stores in part `After`. An
/// element's key is the index of its source element. `Blocks`: the store may wait. `Frame`: what the cache's own
/// kernels are put in.
template <std::uint32_t Before, std::uint32_t After, bool Blocks, class Frame, class Store, class Head, class... K>
auto cached_by_index(open_segment<Head, K...> l, std::string_view name, std::uint32_t id,
                     std::shared_ptr<Store> store) {
  using T = typename open_segment<Head, K...>::element;
  using found = found_in<Store>;
  using lookup = lookup_kernel<Store, Blocks>;
  using storing = store_kernel<T, Store, Blocks>;
  using first = placed<typename Frame::template kernel<lookup>, Before, true>;
  using last = placed<typename Frame::template kernel<storing>, After, true>;
  using frame_of_lookup = typename first::kernel;
  using frame_of_storing = typename last::kernel;
  return l.kernels.apply([&](auto&... k) {
    return open_segment<Head, first, placed<passed<found, typename K::kernel>, K::part, true>..., last>{
        std::move(l.head),
        make_pack(first{frame_of_lookup(lookup{{}, name, id, store})},
                  placed<passed<found, typename K::kernel>, K::part, true>{
                      passed<found, typename K::kernel>(std::move(k))}...,
                  last{frame_of_storing(storing{{}, name, id, store})}),
        l.part, std::move(l.members)};
  });
}

}  // namespace plumbline::detail
