#pragma once
/// lower: from a pipeline's type to what runs. One walk, two forms: `Parallel` cuts the chain into lines of stages on
/// an engine; otherwise everything becomes one cursor for one thread. The walk asks the kernel concepts
/// (core/kernel.hpp), never a name.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/form.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/feeder.hpp>
#include <plumbline/exec/options.hpp>

#include <memory>

namespace plumbline::detail {

/// What holds for the whole run.
struct run_env {
  run_options options{};
  engine* graph = nullptr;  ///< null: one thread
  std::size_t threads = 0, io_threads = 0;
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;  ///< ends every loop at its next element
};
/// What holds at one place of the pipeline.
struct locus {
  std::uint32_t ops_before = 0;      ///< operators in the streams to the left
  std::uint32_t sources_before = 0;  ///< sources there
  bool loose = false;                ///< nobody downstream minds the order
};

/// A line that is still open at its end: a head (a cursor, or an indexed head) and the element kernels on top of it.
template <class Head, class... K> struct open_line {
  Head head;
  std::tuple<K...> kernels;
  std::vector<port*> reads;  ///< the ports that the head takes from
  std::size_t at_once = 0;   ///< what was stated of the operators folded into the head; 0: nothing

  template <class In, class...> struct out_of { using type = In; };
  template <class In, class F, class... R> struct out_of<In, F, R...> {
    using type = typename out_of<typename F::template output<In>, R...>::type;
  };
  using element = typename out_of<typename Head::element, K...>::type;
  /// Is an element's position known to the stage that makes it?
  static constexpr bool positioned = (K::one_to_one && ... && true);
  static constexpr bool place_free = !(K::uses_position || ... || false);
};
template <class H> inline constexpr bool is_indexed_head = false;
template <class V, class... I> inline constexpr bool is_indexed_head<indexed_head<V, I...>> = true;

template <class Head> auto begin_line(Head head, std::vector<port*> reads = {}, std::size_t at_once = 0) {
  return open_line<Head>{std::move(head), {}, std::move(reads), at_once};
}
template <class Kernel, class Head, class... K> auto append(open_line<Head, K...> line, Kernel kernel) {
  return open_line<Head, K..., Kernel>{std::move(line.head),
                                       std::tuple_cat(std::move(line.kernels), std::tuple(std::move(kernel))),
                                       std::move(line.reads), line.at_once};
}

// --- what the user stated of how many of an operator's elements may be at work at once; 0: nothing

constexpr std::size_t lower_limit(std::size_t a, std::size_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }
inline std::size_t stated_parallelism(const run_env& env, std::string_view name, std::uint32_t id) {
  std::size_t n = 0;
  for (const auto& [which, most] : env.options.parallelism)
    if (which == name || which == std::to_string(id)) n = lower_limit(n, most);
  return n;
}
template <class... K> std::size_t stated_parallelism(const run_env& env, const std::tuple<K...>& kernels) {
  return std::apply(
      [&](const auto&... k) {
        std::size_t n = 0;
        ((n = lower_limit(n, stated_parallelism(env, k.name, k.id))), ...);
        return n;
      },
      kernels);
}
/// Of the whole line, the operators folded into its head included.
template <class Head, class... K> std::size_t stated_parallelism(const run_env& env, const open_line<Head, K...>& l) {
  return lower_limit(l.at_once, stated_parallelism(env, l.kernels));
}

// --- closing a line

/// How many leading kernels block alike.
template <bool Blocks, class... K> inline constexpr std::size_t leading = 0;
template <bool Blocks, class F, class... R>
inline constexpr std::size_t leading<Blocks, F, R...> = F::blocks == Blocks ? 1 + leading<Blocks, R...> : 0;

template <bool KeepLast, class In, class F, class... R>
void add_stages(const run_env& env, In in, line_state state, std::vector<engine::step>& steps,
                std::tuple<F, R...> kernels, std::size_t head_at_once = 0) {
  constexpr std::size_t here = leading<F::blocks, F, R...>;
  constexpr std::size_t all = 1 + sizeof...(R);
  [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
    using tuple = std::tuple<F, R...>;
    using out = typename open_line<In, std::tuple_element_t<I, tuple>...>::element;
    constexpr bool keep = KeepLast || (std::tuple_element_t<here + J, tuple>::reads_lineage || ... || false);
    std::tuple<std::tuple_element_t<I, tuple>...> own{std::get<I>(kernels)...};
    const std::size_t at_once = lower_limit(head_at_once, stated_parallelism(env, own));
    using made_stage = stage<In, out, keep, std::tuple_element_t<I, tuple>...>;
    steps.push_back({std::make_unique<made_stage>(in, state, std::move(own)), F::blocks, at_once});
    if constexpr (sizeof...(J) > 0)
      add_stages<KeepLast>(env, given<out>{}, state, steps, std::tuple(std::get<here + J>(kernels)...));
  }
  (std::make_index_sequence<here>{}, std::make_index_sequence<all - here>{});
}

/// Ends a line at a port of its own.
template <bool Keep, class Head, class... K>
port* close_line(open_line<Head, K...> line, run_env& env, bool ordered, buffering size = {}) {
  using element = typename Head::element;
  engine& graph = *env.graph;
  constexpr bool keep_head = Keep || (K::reads_lineage || ... || false);
  constexpr bool reads = (K::blocks || ... || false);
  if (size.messages == 0) size.messages = sizeof...(K) == 0 ? 4 : 2 * env.threads + 2 + (reads ? env.io_threads : 0);
  if (size.elements == 0)
    size.elements = std::is_trivially_copyable_v<element>
                        ? std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 16384)
                        : 1024;
  auto* out = graph.make_port(size.messages, ordered);
  auto* cost = graph.make_pace(env.options.chunk.value_or(0));
  const line_state state{out, &graph.stop_flag(), cost};
  std::vector<engine::step> steps;
  std::unique_ptr<feeder_base> feeder;
  bool feeder_blocks = false;
  if constexpr (is_indexed_head<Head>) {
    const auto head = std::make_shared<const Head>(std::move(line.head));
    if constexpr (sizeof...(K) > 0) {
      add_stages<Keep>(env, made<Head>{head.get()}, state, steps, std::move(line.kernels), line.at_once);
    } else {
      steps.push_back(
          {std::make_unique<stage<made<Head>, element, Keep>>(made<Head>{head.get()}, state, std::tuple<>{}), false,
           line.at_once});
    }
    feeder = std::make_unique<indexed_feeder<Head>>(head, out, cost, message_limits{size.elements}, &graph.stop_flag());
  } else {
    if constexpr (sizeof...(K) > 0) add_stages<Keep>(env, given<element>{}, state, steps, std::move(line.kernels));
    feeder_blocks = Head::blocks;
    feeder = std::make_unique<cursor_feeder<Head, keep_head>>(std::move(line.head), out, cost,
                                                              message_limits{size.elements}, &graph.stop_flag());
  }
  graph.add_line(std::move(feeder), feeder_blocks, std::move(steps), out, line.reads);
  return out;
}

/// A cursor, and the ports that it takes from.
template <class Cursor> struct channel {
  Cursor cursor;
  std::vector<port*> reads;
};

template <std::size_t I, class Up, class... K> auto stack(Up up, std::tuple<K...> kernels) {
  if constexpr (I == sizeof...(K)) {
    return up;
  } else {
    using kernel = std::tuple_element_t<I, std::tuple<K...>>;
    auto k = std::get<I>(kernels);
    return stack<I + 1>(element_cursor<kernel, Up>(std::move(k), std::move(up)), std::move(kernels));
  }
}
template <class Head> auto cursor_of(Head head, const run_env& env) {
  if constexpr (is_indexed_head<Head>)
    return indexed_cursor<Head>(std::move(head), env.stop);
  else
    return head;
}

/// The upstream of a serial part: the line itself where it has no kernels of its own, else the port that it ends at.
template <bool Parallel, bool Keep, class Head, class... K>
auto channel_of(open_line<Head, K...> line, run_env& env, bool ordered) {
  if constexpr (!Parallel) {
    auto c = stack<0>(cursor_of(std::move(line.head), env), std::move(line.kernels));
    return channel<decltype(c)>{std::move(c), {}};
  } else if constexpr (sizeof...(K) == 0) {
    auto reads = std::move(line.reads);
    auto c = cursor_of(std::move(line.head), env);
    return channel<decltype(c)>{std::move(c), std::move(reads)};
  } else {
    using element = typename open_line<Head, K...>::element;
    auto* p = close_line<Keep>(std::move(line), env, ordered);
    return channel<port_cursor<element>>{port_cursor<element>(p), {p}};
  }
}

// --- the walk

template <bool Parallel, bool Keep, class Op, class... Ups>
auto lower(const node<Op, Ups...>& p, run_env& env, locus here);

/// Turns an inner pipeline into a cursor (for operators that open streams of their own).
struct make_inner {
  std::uint64_t seed;
  std::uint32_t id;  ///< of the operator
  const std::atomic<bool>* stop;
  template <class P> auto operator()(const P& p, std::uint64_t outer) const {
    run_env env;
    env.seed = mix(seed, outer);
    env.stop = stop;
    auto line = lower<false, true>(p, env, locus{});
    return channel_of<false, true>(std::move(line), env, true).cursor;
  }
};

template <class P> void count_rounds(const P& p, std::uint64_t k, std::vector<std::uint64_t>& out) {
  if constexpr (requires { p.op.rounds(); }) k *= p.op.rounds();
  std::apply([&](const auto&... u) { (count_rounds(u, k, out), ...); }, p.ups);
  if constexpr (std::tuple_size_v<decltype(p.ups)> == 0) out.push_back(k);
}

template <bool Parallel, bool Keep, class Op, class Up>
auto lower_one(const node<Op, Up>& p, run_env& env, locus here, std::uint32_t id) {
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
            l.at_once};
      }(line);
    } else {
      return [&]<class H, class... K>(open_line<H, K...>& l) {
        using view = folded_view<H, K...>;
        const std::size_t at_once = stated_parallelism(env, l);
        return begin_line(indexed_head<view, Op>{view{std::move(l.head), std::move(l.kernels)}, {&op}}, {}, at_once);
      }(line);
    }
  } else if constexpr (kind == form::nest) {
    using inner = typename Op::template nested<In>;
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, !below.loose);
    auto reads = std::move(up.reads);
    const make_inner make{mix(env.seed, id), id, env.stop};
    const auto finish = [&](auto new_slot) {
      using slot = decltype(new_slot());
      std::vector<slot> slots;
      for (std::uint64_t i = 0; i < op.streams_open(); ++i) slots.push_back(new_slot());
      using cursor = typename Op::template nested_cursor<slot, decltype(up.cursor)>;
      return begin_line(serial_part<Op, cursor>{cursor(op, id, std::move(slots), std::move(up.cursor)), id},
                        std::move(reads));
    };
    if constexpr (Parallel) {
      return finish([&] {
        using feeding = slot_feeder_cursor<inner, make_inner>;
        auto job = std::make_shared<slot_job<inner>>();
        auto* in = close_line<Keep>(begin_line(feeding(job, make)), env, true, {2, 0});
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
      return append(begin_line(std::move(up.cursor), std::move(up.reads)), kernel);
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
        return append(begin_line(std::move(up.cursor), std::move(up.reads)), std::move(kernel));
      }
    }();
    auto up = channel_of<Parallel, Keep>(std::move(filled), env, !here.loose);
    auto reads = std::move(up.reads);
    return begin_line(kernel_cursor<Op, closing, decltype(up.cursor), Keep>(&op, cx, std::move(up.cursor)),
                      std::move(reads));
  } else if constexpr (kind == form::decouple) {
    auto line = lower<Parallel, Keep>(p.up(), env, here);
    if constexpr (Parallel) {
      auto* in = close_line<Keep>(std::move(line), env, !here.loose, op.buffer());
      return begin_line(port_cursor<In>(in), {in});
    } else {
      return line;
    }
  } else if constexpr (kind == form::serial || kind == form::fill) {
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, !below.loose);
    auto reads = std::move(up.reads);
    using kernel = typename Op::template kernel<In>;
    return begin_line(kernel_cursor<Op, kernel, decltype(up.cursor), Keep>(&op, cx, std::move(up.cursor)),
                      std::move(reads));
  } else {
    static_assert(structural<Op, In>,
                  "plumbline: this operator has no kernel; see core/kernel.hpp for the forms it may take");
    auto up = channel_of<Parallel, keep_up>(lower<Parallel, keep_up>(p.up(), env, below), env, true);
    auto reads = std::move(up.reads);
    using cursor = typename Op::template cursor<decltype(up.cursor)>;
    return begin_line(serial_part<Op, cursor>{cursor(op, cx, std::move(up.cursor)), id}, std::move(reads));
  }
}

template <bool Parallel, bool Keep, class Op, class... Ups>
auto lower_join(const node<Op, Ups...>& p, run_env& env, locus here, std::uint32_t id) {
  using P = node<Op, Ups...>;
  constexpr bool keep_up = Keep || reads_lineage<Op>;
  constexpr bool indexed = form_of<P> == form::join;
  locus next = here;
  next.loose = indexed && here.loose;
  std::size_t at_once = stated_parallelism(env, Op::name, id);
  const auto branch = [&](const auto& up) {
    auto line = lower<Parallel, keep_up>(up, env, next);
    using U = std::remove_cvref_t<decltype(up)>;
    next.ops_before += operators_in<U>;
    next.sources_before += sources_in<U>;
    if constexpr (indexed) {
      at_once = lower_limit(at_once, stated_parallelism(env, line));
      return [&]<class H, class... K>(open_line<H, K...>& l) {
        return folded_view<H, K...>{std::move(l.head), std::move(l.kernels)};
      }(line);
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
          return begin_line(indexed_head<view>{view{typename view::joined(p.op, std::move(b)...)}, {}}, {}, at_once);
        } else {
          std::vector<port*> reads;
          (reads.insert(reads.end(), b.reads.begin(), b.reads.end()), ...);
          using cursor = typename Op::template cursor<decltype(b.cursor)...>;
          const stream_context cx{env.seed, 0, id, random_below<P>};
          return begin_line(serial_part<Op, cursor>{cursor(p.op, cx, std::move(b.cursor)...), id}, std::move(reads));
        }
      },
      branches);
}

/// `Keep`: somebody downstream wants to know which element is which.
template <bool Parallel, bool Keep, class Op, class... Ups>
auto lower(const node<Op, Ups...>& p, run_env& env, locus here) {
  const std::uint32_t id = here.ops_before + operators_in<node<Op, Ups...>>;
  if constexpr (sizeof...(Ups) > 1) {
    return lower_join<Parallel, Keep>(p, env, here, id);
  } else if constexpr (sizeof...(Ups) == 1) {
    return lower_one<Parallel, Keep>(p, env, here, id);
  } else if constexpr (indexed_source<Op>) {
    using view = source_view<Op>;
    return begin_line(indexed_head<view>{view{&p.op, id, here.sources_before}, {}}, {},
                      stated_parallelism(env, Op::name, id));
  } else {
    return begin_line(source_cursor<Op>(&p.op, id, here.sources_before, env.stop));
  }
}

}  // namespace plumbline::detail
