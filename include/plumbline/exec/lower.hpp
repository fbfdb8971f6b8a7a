#pragma once
/// lower: from a pipeline's type to what runs. One walk, two forms: `Parallel` cuts the chain into lines of stages on
/// an engine; otherwise everything becomes one cursor for one thread. The walk asks the kernel concepts
/// (core/kernel.hpp), never a name.

#include <plumbline/core/form.hpp>
#include <plumbline/exec/kernel_cursor.hpp>
#include <plumbline/exec/line.hpp>
#include <plumbline/exec/memo.hpp>
#include <plumbline/exec/nested_cursor.hpp>
#include <plumbline/exec/slot.hpp>

#include <memory>

namespace plumbline::detail {

/// What holds at one place of the pipeline.
struct locus {
  std::uint32_t ops_before = 0;      ///< operators in the streams to the left
  std::uint32_t sources_before = 0;  ///< sources there
  bool loose = false;                ///< nobody downstream minds the order
};

template <bool Parallel, bool Keep, class Trace, class Op, class... Ups>
auto lower(const node<Op, Ups...>& p, run_env<Trace>& env, locus here);

/// Turns an inner pipeline into a cursor (for operators that open streams of their own).
struct make_inner {
  std::uint64_t seed;
  std::uint32_t id;  ///< of the operator
  const std::atomic<bool>* stop;
  template <class P> auto operator()(const P& p, std::uint64_t outer) const {
    run_env<tracing::off> env;
    env.seed = mix(seed, outer);
    env.stop = stop;
    auto line = lower<false, true>(p, env, locus{});
    return channel_of<false, true>(std::move(line), env, true).cursor;
  }
};

/// A line whose head is a serial part.
template <class Trace, class Cursor>
auto begin_serial(Cursor cursor, std::uint32_t id, std::vector<std::uint32_t> members, std::vector<port*> reads) {
  members.push_back(id);
  return begin_line(probed_if<Trace, probed_cursor>(std::move(cursor), id), std::move(members), std::move(reads));
}
/// A line of numbers as one view, its operators, and what was stated of them.
template <class Trace, class H, class... K> auto fold(const run_env<Trace>& env, open_line<H, K...>& line) {
  const std::size_t at_once = stated_parallelism(env, line);
  auto members = std::move(line.members);
  std::apply([&](const auto&... k) { (members.push_back(k.id), ...); }, line.kernels);
  auto head = probed_if<Trace, probed_view>(std::move(line.head));
  auto view = std::apply(
      [&](auto&... k) {
        return folded_view<decltype(head), decltype(probed_if<Trace, probed_kernel>(std::move(k)))...>{
            std::move(head), {probed_if<Trace, probed_kernel>(std::move(k))...}};
      },
      line.kernels);
  return std::tuple(std::move(view), std::move(members), at_once);
}

template <class P> void count_rounds(const P& p, std::uint64_t k, std::vector<std::uint64_t>& out) {
  if constexpr (requires { p.op.rounds(); }) k *= p.op.rounds();
  std::apply([&](const auto&... u) { (count_rounds(u, k, out), ...); }, p.ups);
  if constexpr (std::tuple_size_v<decltype(p.ups)> == 0) out.push_back(k);
}

template <bool Parallel, bool Keep, class Trace, class Op, class Up>
auto lower_one(const node<Op, Up>& p, run_env<Trace>& env, locus here, std::uint32_t id) {
  using In = typename Up::element;
  using P = node<Op, Up>;
  constexpr std::uint32_t salt = random_below<P>;
  constexpr bool keep_up = Keep || reads_lineage<Op>;
  constexpr form kind = form_of<P>;
  const Op& op = p.op;
  locus below = here;
  below.loose = here.loose && order_free<Op>;
  stream_context cx{env.seed, 0, id, salt};
  if constexpr (replays<Op>) {
    std::vector<std::uint64_t> table(here.sources_before, 0);
    count_rounds(p.up(), 1, table);
    cx.rounds = std::make_shared<const std::vector<std::uint64_t>>(std::move(table));
  }

  if constexpr (kind == form::renumber) {
    below.loose = here.loose;
    auto line = lower<Parallel, keep_up>(p.up(), env, below);
    using line_type = decltype(line);
    if constexpr (line_type::place_free) {
      return [&]<class V, class... I, class... K>(open_line<indexed_head<V, I...>, K...>& l) {
        return open_line<indexed_head<V, Op, I...>, K...>{
            {std::move(l.head.view), std::tuple_cat(std::tuple<const Op*>(&op), l.head.index)},
            std::move(l.kernels),
            {},
            l.at_once,
            std::move(l.members)};
      }(line);
    } else {
      return [&]<class H, class... K>(open_line<H, K...>& l) {
        auto [view, members, at_once] = fold(env, l);
        return begin_line(indexed_head<decltype(view), Op>{std::move(view), {&op}}, std::move(members), {}, at_once);
      }(line);
    }
  } else if constexpr (kind == form::memo) {
    below.loose = here.loose;
    return remember(lower<Parallel, true>(p.up(), env, below), Op::name, id);
  } else if constexpr (kind == form::nest) {
    using inner = typename Op::template nested<In>;
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, !below.loose);
    auto reads = std::move(up.reads);
    const make_inner make{mix(env.seed, id), id, env.stop};
    const auto finish = [&](auto new_slot) {
      using slot = decltype(new_slot());
      std::vector<slot> slots;
      for (auto i = op.streams_open() + (Parallel ? op.streams_ahead() : 0); i != 0; --i) slots.push_back(new_slot());
      using cursor = typename Op::template nested_cursor<slot, decltype(up.cursor)>;
      return begin_serial<Trace>(serial_part<Op, cursor>{cursor(op, id, std::move(slots), std::move(up.cursor)), id},
                                 id, std::move(up.members), std::move(reads));
    };
    if constexpr (Parallel) {
      return finish([&] {
        using feeding = slot_feeder_cursor<inner, make_inner>;
        auto job = std::make_shared<slot_job<inner>>();
        auto* in = close_line<Keep>(begin_line(probed_if<Trace, timed_cursor>(feeding(job, make), id), {id}),
                                    env.sharing(op.streams_open()), true, {2, 0});
        reads.push_back(in);
        return slot_cursor<inner>(std::move(job), in);
      });
    } else {
      return finish([&] { return nested_cursor<inner, make_inner>(make); });
    }
  } else if constexpr (kind == form::element) {
    auto line = lower<Parallel, keep_up>(p.up(), env, below);
    const bound<Op> kernel{&op, env.seed, id, salt};
    if constexpr (Parallel && uses_position<Op> && !decltype(line)::positioned) {
      auto up = channel_of<Parallel, keep_up>(std::move(line), env, true);
      return append(begin_line(std::move(up.cursor), std::move(up.members), std::move(up.reads)), kernel);
    } else {
      return append(std::move(line), kernel);
    }
  } else if constexpr (Parallel && kind == form::fill) {
    using filling = typename Op::template fill<In>;
    using closing = typename Op::template close<In>;
    auto filled = [&] {
      using held = std::shared_ptr<const filling>;
      bound<filling, held> kernel{std::make_shared<const filling>(op), env.seed, id, salt};
      auto line = lower<Parallel, true>(p.up(), env, below);
      if constexpr (decltype(line)::positioned) {
        return append(std::move(line), std::move(kernel));
      } else {
        auto up = channel_of<Parallel, true>(std::move(line), env, true);
        return append(begin_line(std::move(up.cursor), std::move(up.members), std::move(up.reads)), std::move(kernel));
      }
    }();
    auto up = channel_of<Parallel, Keep>(std::move(filled), env, !here.loose);
    using cursor = kernel_cursor<Op, closing, decltype(up.cursor), Keep>;
    return begin_serial<Trace>(cursor(&op, cx, std::move(up.cursor)), id, std::move(up.members), std::move(up.reads));
  } else if constexpr (kind == form::decouple) {
    auto line = lower<Parallel, Keep>(p.up(), env, here);
    if constexpr (Parallel) {
      auto* in = close_line<Keep>(std::move(line), env, !here.loose, op.buffer());
      return begin_line(port_cursor<In>(in), {}, {in});
    } else {
      return line;
    }
  } else if constexpr (kind == form::serial || kind == form::fill) {
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, !below.loose);
    using cursor = kernel_cursor<Op, typename Op::template kernel<In>, decltype(up.cursor), Keep>;
    return begin_serial<Trace>(cursor(&op, cx, std::move(up.cursor)), id, std::move(up.members), std::move(up.reads));
  } else {
    static_assert(structural<Op, In>,
                  "plumbline: this operator has no kernel; see core/kernel.hpp for the forms it may take");
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, true);
    using cursor = typename Op::template cursor<decltype(up.cursor)>;
    return begin_serial<Trace>(serial_part<Op, cursor>{cursor(op, cx, std::move(up.cursor)), id}, id,
                               std::move(up.members), std::move(up.reads));
  }
}

template <bool Parallel, bool Keep, class Trace, class Op, class... Ups>
auto lower_join(const node<Op, Ups...>& p, run_env<Trace>& env, locus here, std::uint32_t id) {
  using P = node<Op, Ups...>;
  constexpr bool keep_up = Keep || reads_lineage<Op>;
  constexpr bool indexed = form_of<P> == form::join;
  locus next = here;
  next.loose = indexed && here.loose;
  std::size_t at_once = stated_parallelism(env, Op::name, id);
  std::vector<std::uint32_t> members;
  const auto branch = [&](const auto& up) {
    auto line = lower<Parallel, keep_up>(up, env, next);
    using U = std::remove_cvref_t<decltype(up)>;
    next.ops_before += operators_in<U>;
    next.sources_before += sources_in<U>;
    if constexpr (indexed) {
      auto [view, own, limit] = fold(env, line);
      at_once = lower_limit(at_once, limit);
      members.insert(members.end(), own.begin(), own.end());
      return std::move(view);
    } else {
      return channel_of<Parallel, keep_up>(std::move(line), env, true);
    }
  };
  // braces: left to right
  auto branches = std::apply([&](const auto&... up) { return std::tuple{branch(up)...}; }, p.ups);
  return std::apply(
      [&](auto&... b) {
        if constexpr (indexed) {
          using view = join_view<Op, std::remove_cvref_t<decltype(b)>...>;
          members.push_back(id);
          return begin_line(indexed_head<view>{view{typename view::joined(p.op, std::move(b)...), id}, {}},
                            std::move(members), {}, at_once);
        } else {
          std::vector<port*> reads;
          (reads.insert(reads.end(), b.reads.begin(), b.reads.end()), ...);
          (members.insert(members.end(), b.members.begin(), b.members.end()), ...);
          using cursor = typename Op::template cursor<decltype(b.cursor)...>;
          const stream_context cx{env.seed, 0, id, random_below<P>};
          return begin_serial<Trace>(serial_part<Op, cursor>{cursor(p.op, cx, std::move(b.cursor)...), id}, id,
                                     std::move(members), std::move(reads));
        }
      },
      branches);
}

/// `Keep`: somebody downstream wants to know which element is which.
template <bool Parallel, bool Keep, class Trace, class Op, class... Ups>
auto lower(const node<Op, Ups...>& p, run_env<Trace>& env, locus here) {
  const std::uint32_t id = here.ops_before + operators_in<node<Op, Ups...>>;
  if constexpr (sizeof...(Ups) > 1) {
    return lower_join<Parallel, Keep>(p, env, here, id);
  } else if constexpr (sizeof...(Ups) == 1) {
    return lower_one<Parallel, Keep>(p, env, here, id);
  } else if constexpr (indexed_source<Op>) {
    using view = source_view<Op>;
    return begin_line(indexed_head<view>{view{&p.op, id, here.sources_before}, {}}, {id}, {},
                      stated_parallelism(env, Op::name, id));
  } else {
    return begin_serial<Trace>(source_cursor<Op>(&p.op, id, here.sources_before, env.stop), id, {}, {});
  }
}

}  // namespace plumbline::detail
