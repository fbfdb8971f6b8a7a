#pragma once
/// Segments: an open segment is a head (a cursor, or an indexed head) with the element kernels stacked on it so far.
/// The pipeline's partition states what happens to it next: it is continued, ends at a channel after stages on the
/// engine, or becomes a cursor or a view for its consumer.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/owned.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/channel_cursor.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/framing.hpp>
#include <plumbline/exec/metered.hpp>
#include <plumbline/exec/metered_view.hpp>
#include <plumbline/exec/producer.hpp>
#include <plumbline/exec/recording.hpp>
#include <plumbline/exec/segment_builder.hpp>
#include <plumbline/exec/stage.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>

namespace plumbline::detail {

/// The environment in which the parts of a run are built.
template <class Trace> struct run_env {
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;  ///< ends every loop at its next element
  const run_setting* how = nullptr;         ///< null for a stream within the run
  run_watch* records = nullptr;             ///< null: the run is not traced
  std::span<const part> parts{};            ///< the parts of the pipeline's partition
  std::size_t copies = 0;                   ///< how many parts with the same operators get a part_stats each; 0: all

  part_stats* open([[maybe_unused]] const built_part& of) const {
    if constexpr (Trace::on)
      return records->open(of, how->graph != nullptr, copies);
    else
      return nullptr;
  }
  /// Returns the work of part `of`: recorded if the run is traced, or in a frame.
  template <class Work>
  std::unique_ptr<Work> recorded(std::unique_ptr<Work> work, [[maybe_unused]] const built_part& of,
                                 [[maybe_unused]] channel* target) const {
    if constexpr (Trace::on)
      return detail::recorded(std::move(work), open(of), target);
    else if constexpr (framing<Trace>::frames)
      return framing<Trace>::around(std::move(work), of, records);
    else
      return work;
  }
  /// The environment for parts with the same operators, of which at most `among` work at once in the long run: they
  /// share `among` part_stats.
  run_env sharing(std::size_t among) const {
    auto e = *this;
    e.copies = among;
    return e;
  }
};

/// An element kernel in its part. `Lineage`: true if the kernel or anything downstream reads lineage.
template <class Kernel, std::uint32_t Part, bool Lineage> struct placed : Kernel {
  using kernel = Kernel;
  static constexpr std::uint32_t part = Part;
  static constexpr bool lineage = Lineage;
};

template <class Placed> const typename Placed::kernel& kernel_of(const Placed& k) { return k; }

/// A segment that is still open at its end: a head (a cursor, or an indexed head) and the element kernels on top of it.
template <class Head, class... K> struct open_segment {
  Head head;
  pack<K...> kernels;
  std::uint32_t part;       ///< of the head
  segment_members members;  ///< of that part

  using element = typename kernel_chain<K...>::template output<typename Head::element>;
};
template <class H> inline constexpr bool is_indexed_head = false;
template <class V, class... I> inline constexpr bool is_indexed_head<indexed_head<V, I...>> = true;

/// What its head states in cursor_traits. An indexed head has no end to ask for.
template <class Segment> inline constexpr bool wants_end = false;
template <class Head, class... K>
  requires(!is_indexed_head<Head>)
inline constexpr bool wants_end<open_segment<Head, K...>> = Head::traits.wants_end;

template <class Head> auto begin_segment(Head head, std::uint32_t part, segment_members members) {
  return open_segment<Head>{std::move(head), {}, part, std::move(members)};
}
/// The segment with these kernels on top.
template <class Head, class... K, class... More> auto append(open_segment<Head, K...> s, More... kernels) {
  return s.kernels.apply([&](auto&... k) {
    return open_segment<Head, K..., More...>{std::move(s.head), make_pack(std::move(k)..., std::move(kernels)...),
                                             s.part, std::move(s.members)};
  });
}
template <class Index, class V, class... I, class... K>
auto renumbered(open_segment<indexed_head<V, I...>, K...> s, index_step<Index> step) {
  return open_segment<indexed_head<V, Index, I...>, K...>{
      {std::move(s.head.view), std::tuple_cat(std::tuple(step), s.head.index)},
      std::move(s.kernels),
      s.part,
      std::move(s.members)};
}
/// An indexed segment as one view.
template <class Trace, class H, class... K> auto folded(open_segment<H, K...> s) {
  auto head = metered_if<Trace, metered_view>(std::move(s.head));
  using view =
      folded_view<decltype(head), decltype(metered_if<Trace, metered_kernel>(std::declval<typename K::kernel>()))...>;
  return s.kernels.apply([&](auto&... k) {
    (s.members.add(k.id), ...);
    return begin_segment(
        indexed_head<view>{{std::move(head), {make_pack(metered_if<Trace, metered_kernel>(kernel_of(k))...)}}, {}},
        s.part, std::move(s.members));
  });
}

template <class Trace, class Up, class... K> auto stack(Up up, pack<K...>& kernels, const std::atomic<bool>* stop) {
  if constexpr (sizeof...(K) == 0) {
    return up;
  } else {
    using cursor = std::conditional_t<Trace::on, metered_element_cursor<Up, typename K::kernel...>,
                                      element_cursor<Up, typename K::kernel...>>;
    return kernels.apply([&](auto&... k) { return cursor({make_pack(kernel_of(k)...)}, std::move(up), stop); });
  }
}
/// A segment as one cursor.
template <class Trace, class Head, class... K> auto pulled(open_segment<Head, K...> s, const run_env<Trace>& env) {
  s.kernels.apply([&](const auto&... k) { (s.members.add(k.id), ...); });
  auto head = [&] {
    if constexpr (is_indexed_head<Head>) {
      const auto id = s.head.id();
      return metered_if<Trace, metered_cursor>(indexed_cursor<Head>(std::move(s.head), env.stop), id);
    } else {
      return std::move(s.head);
    }
  }();
  return begin_segment(stack<Trace>(std::move(head), s.kernels, env.stop), s.part, std::move(s.members));
}

/// How many consecutive kernels, from index `from` on, share a part.
template <std::size_t N> constexpr std::size_t fused(const std::array<std::uint32_t, N>& parts, std::size_t from) {
  std::size_t end = from;
  while (end != N && parts[end] == parts[from]) ++end;
  return end - from;
}

/// The stage of the kernels at indices `From` + `Indices`.
template <class Trace, class In, bool Lineage, class Pack, std::size_t From, class Indices> struct stage_of;
template <class Trace, class In, bool Lineage, class Pack, std::size_t From, std::size_t... I>
struct stage_of<Trace, In, Lineage, Pack, From, std::index_sequence<I...>> {
  using out = typename open_segment<In, pack_element<From + I, Pack>...>::element;
  using type = stage<Trace, In, out, Lineage, typename pack_element<From + I, Pack>::kernel...>;
  static std::unique_ptr<stage_base> make(In in, const segment_state& segment, const Pack& kernels) {
    return owned<stage_base, type>(in, segment, make_pack(kernel_of(detail::at<From + I>(kernels))...));
  }
  static void add(segment_members& to, const Pack& kernels) { (to.add(detail::at<From + I>(kernels).id), ...); }
};

/// Adds the stages of the kernels from index `From` on; the first of these kernels are in part `number`. `Lineage`:
/// true if the lineage of the last stage's output is kept.
/// `Named`: true if the elements arrive with their lineage.
template <bool Lineage, bool Named, std::size_t From = 0, class Trace, class In, class... K>
PLUMBLINE_SETUP void add_stages(const run_env<Trace>& env, segment_builder& to, In in, const pack<K...>& kernels,
                                std::uint32_t number, segment_members& members) {
  constexpr std::array<std::uint32_t, sizeof...(K)> parts{K::part...};
  constexpr std::array lineages{K::lineage..., Lineage};
  constexpr std::size_t next = From + fused(parts, From);
  using indices = std::make_index_sequence<next - From>;
  using made = typename stage_of<Trace, In, false, pack<K...>, From, indices>::out;
  // a timeline names elements; next to one that owns memory, keeping its lineage costs nothing
  constexpr bool keeps = lineages[next] || (Trace::events && Named && !std::is_trivially_copyable_v<made>);
  using own = stage_of<Trace, In, keeps, pack<K...>, From, indices>;
  own::add(members, kernels);
  const auto& of = to.begin_part(number, members);
  to.add(env.recorded(own::make(in, to.state(), kernels), of, to.out()));
  if constexpr (next != sizeof...(K))
    add_stages<Lineage, keeps, next>(env, to, from_chunk<typename own::out>{}, kernels, parts[next], members);
}

/// True if no element along a segment owns memory.
template <class In, class... K> inline constexpr bool plain = std::is_trivially_copyable_v<In>;
template <class In, class F, class... R>
inline constexpr bool plain<In, F, R...> =
    std::is_trivially_copyable_v<In>&& plain<typename F::template output<In>, R...>;

/// Ends a segment at a channel of its own. `Lineage`: true if anything downstream reads lineage.
template <bool Lineage, class Trace, class Head, class... K>
PLUMBLINE_SETUP channel* close_segment(open_segment<Head, K...> segment, const run_env<Trace>& env, bool ordered,
                                       buffering size = {}) {
  using element = typename Head::element;
  // The largest message bounds the memory in flight. It also bounds the delay when elements turn slow, as the size of a
  // message is chosen from the cost of the elements before it.
  constexpr std::size_t most =
      plain<element, K...> ? std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 4096) : 128;
  const bool blocks = (env.parts[K::part].blocks || ... || false) || segment.kernels.apply([&](const auto&... k) {
    return (env.how->on_io_threads({k.id}) || ... || false);
  });
  segment_builder to(*env.how, env.parts, ordered, size, sizeof...(K) != 0, blocks, most);
  const message_limits limits{to.elements()};
  if constexpr (is_indexed_head<Head>) {
    const auto head = std::make_shared<const Head>(std::move(segment.head));
    add_stages<Lineage, true>(env, to, from_index<Head>{head.get()}, segment.kernels, segment.part, segment.members);
    to.close(owned<producer_base, indexed_producer<Head>>(head, to.out(), to.sizer(), limits), false, segment.members);
  } else {
    if constexpr (sizeof...(K) > 0) {
      segment_members own;
      add_stages<Lineage, false>(env, to, from_chunk<element>{}, segment.kernels, std::array{K::part...}.front(), own);
    }
    const auto& of = to.begin_part(segment.part, segment.members);
    constexpr bool keep = std::array{K::lineage..., Lineage}.front();
    auto producer = owned<producer_base, cursor_producer<Trace, Head, keep>>(std::move(segment.head), to.out(),
                                                                             to.sizer(), limits, to.stop());
    to.close(env.recorded(std::move(producer), of, to.out()), true, segment.members);
  }
  return to.out();
}

}  // namespace plumbline::detail
