#pragma once
/// lowering: turns a pipeline into what runs. The pipeline's partition (core/partition.hpp) states what runs where;
/// here each operator is built according to its form, not its name, with one case for each form.

#include <plumbline/core/partition.hpp>
#include <plumbline/exec/index_cache.hpp>
#include <plumbline/exec/kernel_cursor.hpp>
#include <plumbline/exec/nested_cursor.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/exec/segment.hpp>
#include <plumbline/exec/slot.hpp>

#include <memory>

namespace plumbline::detail {

template <class P> void count_rounds(const P& p, std::uint64_t k, std::vector<std::uint64_t>& out) {
  if constexpr (requires { p.op.rounds(); }) k *= p.op.rounds();
  p.ups.apply([&](const auto&... u) { (count_rounds(u, k, out), ...); });
  if constexpr (decltype(p.ups)::size == 0) out.push_back(k);
}

struct make_inner;

template <class Pipeline, running How, class Trace> class lowering {
 public:
  static constexpr const auto& cut = partition_of<Pipeline, How>;
  lowering(const Pipeline& p, run_env<Trace>& env) : pipeline_(p), env_(env) { env_.parts = cut.parts; }
  /// The segment that makes the pipeline's elements, open at its end.
  auto segment() { return lower<cut.operators.size()>(pipeline_); }
  /// The whole pipeline as one cursor.
  auto cursor() { return pulled(segment(), env_); }

 private:
  template <std::uint32_t Id> static constexpr placement at = cut.operators[Id - 1];
  /// What a run with frames puts around the operator (framing.hpp); others leave it as it is.
  template <std::uint32_t Id, class Op> using frame = typename framing<Trace>::template of<Id, Op>;

  bool ordered(const placement& p) const { return env_.how->in_order() || !p.any_order; }
  /// Operator `Id`'s segment as its consumer sees it. `size`: the size of the buffer between them.
  template <std::uint32_t Id, class Segment> auto hand_over(Segment s, [[maybe_unused]] buffering size = {}) {
    if constexpr (at<Id>.to == handover::folded) {
      return folded<Trace>(std::move(s));
    } else if constexpr (at<Id>.to == handover::direct) {
      return pulled(std::move(s), env_);
    } else if constexpr (at<Id>.to == handover::channel) {
      auto* p = close_segment<at<Id>.lineage>(std::move(s), env_, ordered(at<Id>), size);
      return begin_segment(channel_cursor<typename Segment::element, wants_end<Segment>>(p), 0, reading(p));
    } else {
      return s;
    }
  }
  template <std::uint32_t Id, class Op, class Kernel, class Segment> auto kernel(Segment s, Kernel k) {
    if constexpr (at<Id>.before != 0) s.part = at<Id>.before;
    using own = typename frame<Id, Op>::template kernel<Kernel>;
    return append(std::move(s), placed<own, at<Id>.part, at<Id - 1>.lineage>{own(std::move(k))});
  }
  /// Adds operators Id, Id + 1, ..., which follow each other in one segment (upstream first), in a single step.
  template <std::uint32_t Id, class P, class... Above> auto elements(const P& p, const Above&... above) {
    constexpr auto below = cut.input(Id, 0);
    if constexpr (at<below>.how == form::element && at<below>.to == handover::along) {
      return elements<below>(p.up(), p, above...);
    } else {
      auto s = hand_over<below>(lower<below>(p.up()));
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        for (const auto before : {at<Id>.before, at<Id + 1 + I>.before...})
          if (before != 0) s.part = before;
        return append(std::move(s), element_kernel<Id>(p), element_kernel<Id + 1 + I>(above)...);
      }
      (std::index_sequence_for<Above...>{});
    }
  }
  template <std::uint32_t Id, class P> auto element_kernel(const P& p) const {
    using plain = bound<typename P::op_type, typename std::remove_cvref_t<decltype(p.up())>::element>;
    using own = typename frame<Id, typename P::op_type>::template kernel<plain>;
    return placed<own, at<Id>.part, at<Id - 1>.lineage>{
        own(plain{&p.op, Id, hash_combine(env_.seed, random_below<P>)})};
  }
  /// A segment whose head is a serial part on top of other segments.
  template <std::uint32_t Id, class Op, class Cursor, class... Ups>
  auto serial(Cursor cursor, std::uint32_t part, segment_members reads, Ups&... ups) {
    segment_members members(Id);
    (members.add(ups.members), ...);
    members.add(reads);
    return begin_segment(
        metered_if<Trace, metered_cursor>(typename frame<Id, Op>::template cursor<Cursor>(std::move(cursor)), Id), part,
        std::move(members));
  }
  static segment_members reading(channel* p) {
    segment_members m;
    m.reads(p);
    return m;
  }
  template <std::uint32_t Id, class Kernel, class Out, class Op, class Up>
  auto kernel_on(const Op& op, const stream_context& cx, std::uint32_t part, Up up) {
    using input = typename frame<Id, Op>::template input<decltype(up.head)>;
    using cursor = kernel_cursor<Op, Kernel, Out, input, at<Id>.lineage>;
    return serial<Id, Op>(cursor(&op, cx, input(std::move(up.head))), part, {}, up);
  }

  template <std::uint32_t Id, class Op> auto lower(const node<Op>& p) {
    if constexpr (indexed_source<Op>) {
      using view = typename frame<Id, Op>::template view<source_view<Op>>;
      return begin_segment(indexed_head<view>{view(source_view<Op>{&p.op, Id, at<Id>.source_index}), {}}, at<Id>.part,
                           segment_members(Id));
    } else {
      return serial<Id, Op>(source_cursor<Op>(&p.op, Id, at<Id>.source_index, env_.stop), at<Id>.part, {});
    }
  }

  template <std::uint32_t Id, class Op, class... Ups>
    requires(sizeof...(Ups) > 0)
  auto lower(const node<Op, Ups...>& p) {
    if constexpr (at<Id>.how == form::element)
      return elements<Id>(p);
    else
      return on_top<Id>(p);
  }
  /// Lowers the upstreams first, then puts the operator on top of their segments.
  template <std::uint32_t Id, class Op, class... Ups> auto on_top(const node<Op, Ups...>& p) {
    buffering size{};
    if constexpr (async_boundary<Op>) size = p.op.buffer();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      // braces: evaluated left to right
      std::tuple ups{hand_over<cut.input(Id, I)>(lower<cut.input(Id, I)>(detail::at<I>(p.ups)), size)...};
      return put<Id>(p, std::move(std::get<I>(ups))...);
    }
    (std::index_sequence_for<Ups...>{});
  }

  template <std::uint32_t Id, class P> auto context(const P& p) const {
    const stream_context cx{env_.seed, 0, Id, random_below<P>, env_.how == nullptr ? nullptr : env_.how->arrays};
    if constexpr (replays<typename P::op_type>) {
      std::vector<std::uint64_t> rounds(at<Id>.source_index, 0);
      count_rounds(p.up(), 1, rounds);
      replay_context out{cx, std::make_shared<const std::vector<std::uint64_t>>(std::move(rounds)), at<Id>.source_index,
                         env_.stop};
      if constexpr (persists<typename P::op_type>) {
        static_assert(
            How != running::nested,
            "plumbline: an operator opens streams that keep elements outside the process, all in the same place");
        add_upstream<at<Id>.how == form::index_cache, persists_in_processes<typename P::op_type>>(out, p.up());
      }
      return out;
    } else {
      return cx;
    }
  }
  /// Puts an operator on top of its upstreams' segments.
  template <std::uint32_t Id, class P, class Up, class... More> auto put(const P& p, Up up, More... more) {
    using Op = typename P::op_type;
    using In = typename Up::element;
    constexpr placement here = at<Id>;
    const Op& op = p.op;
    const auto cx = context<Id>(p);
    if constexpr (here.how == form::renumber) {
      return renumbered(std::move(up), index_step<typename frame<Id, Op>::template index<Op>>{index_step<Op>{&op, Id}});
    } else if constexpr (here.how == form::index_cache) {
      return cached_by_index<here.before, here.part, blocking<Op>, frame<Id, Op>>(
          std::move(up), Op::name, Id, store_of<In>(op, up.head.view.size(), cx));
    } else if constexpr (here.how == form::join) {
      using joined = join_view<Op, decltype(up.head.view), decltype(more.head.view)...>;
      using view = typename frame<Id, Op>::template view<joined>;
      (up.members.add(more.members), ...);
      up.members.add(Id);
      return begin_segment(
          indexed_head<view>{
              view(joined{typename joined::joined(op, cx, std::move(up.head.view), std::move(more.head.view)...), Id}),
              {}},
          here.part, std::move(up.members));
    } else if constexpr (here.how == form::async_boundary) {
      if constexpr (here.part != 0) {
        up.part = here.part;
        up.members.add(Id);
      }
      return up;
    } else if constexpr (here.how == form::scatter && here.also != 0) {
      using filling = typename Op::template scatter<In>;
      using held = std::shared_ptr<const filling>;
      bound<filling, In, held> scatter{std::make_shared<const filling>(op, cx), Id, 0};
      auto filled = kernel<Id, Op>(std::move(up), std::move(scatter));
      using slot = typename decltype(filled)::element;
      constexpr bool keep = here.lineage || reads_lineage<Op, In>;
      auto* in = close_segment<keep>(std::move(filled), env_, ordered(here));
      return kernel_on<Id, typename Op::template finalize<In>, typename P::element>(
          op, cx, here.also, begin_segment(channel_cursor<slot, wants_end<decltype(filled)>>(in), 0, reading(in)));
    } else if constexpr (here.how == form::serial || here.how == form::scatter) {
      return kernel_on<Id, typename Op::template kernel<In>, typename P::element>(op, cx, here.part, std::move(up));
    } else if constexpr (here.how == form::nest) {
      return nest<Id, typename Op::template nested<In>>(op, std::move(up));
    } else {
      static_assert(structural<Op, In, typename More::element...>,
                    "plumbline: this operator has no kernel; see core/kernel.hpp for the forms it may take");
      using cursor = typename Op::template cursor<typename frame<Id, Op>::template input<decltype(up.head)>,
                                                  typename frame<Id, Op>::template input<decltype(more.head)>...>;
      return serial<Id, Op>(
          serial_part<Op, cursor>{
              cursor(op, cx, typename frame<Id, Op>::template input<decltype(up.head)>(std::move(up.head)),
                     typename frame<Id, Op>::template input<decltype(more.head)>(std::move(more.head))...),
              Id},
          here.part, {}, up, more...);
    }
  }

  /// Each of the operator's open streams is a cursor, or a segment of its own that runs ahead.
  template <std::uint32_t Id, class Inner, class Op, class Up, class Make = make_inner> auto nest(const Op& op, Up up) {
    const Make make{hash_combine(env_.seed, Id), Id, env_.stop};
    segment_members reads;
    const auto open_stream = [&] {
      if constexpr (at<Id>.also == 0) {
        return nested_cursor<Inner, Make>(make);
      } else {
        using feeding = slot_producer_cursor<Inner, Make>;
        auto job = std::make_shared<slot_job<Inner>>();
        auto* in = close_segment<at<Id>.lineage>(
            begin_segment(metered_if<Trace, timed_cursor>(
                              typename frame<Id, Op>::template cursor<feeding>(feeding(job, make)), Id),
                          at<Id>.also, segment_members(Id)),
            env_.sharing(op.streams_open()), true, {2, 0});
        reads.reads(in);
        return slot_cursor<Inner>(std::move(job), in);
      }
    };
    std::vector<decltype(open_stream())> streams;
    for (auto i = op.streams_open() + (at<Id>.also == 0 ? 0 : op.streams_ahead()); i != 0; --i)
      streams.push_back(open_stream());
    using input = typename frame<Id, Op>::template input<decltype(up.head)>;
    using cursor = typename Op::template nested_cursor<decltype(open_stream()), input>;
    return serial<Id, Op>(serial_part<Op, cursor>{cursor(op, Id, std::move(streams), input(std::move(up.head))), Id},
                          at<Id>.part, std::move(reads), up);
  }

  const Pipeline& pipeline_;
  run_env<Trace>& env_;
};

/// Turns an inner pipeline into a cursor (for operators that open streams of their own).
struct make_inner {
  std::uint64_t seed;
  std::uint32_t id;  ///< of the operator
  const std::atomic<bool>* stop;
  template <class P> auto operator()(const P& p, std::uint64_t outer) const {
    run_env<tracing::off> env;
    env.seed = hash_combine(seed, outer);
    env.stop = stop;
    return lowering<P, running::nested, tracing::off>(p, env).cursor().head;
  }
};

}  // namespace plumbline::detail
