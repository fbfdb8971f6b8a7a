#pragma once
/// Lines: an open line is a head (a cursor, or numbers) with the element kernels stacked on it so far. What becomes of
/// it is said by the pipeline's partition: it goes on, ends at a port after stages on the engine, or is a cursor or a
/// view for whoever takes from it.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/feeder.hpp>
#include <plumbline/exec/metered.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/exec/port_cursor.hpp>
#include <plumbline/exec/recording.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace plumbline::detail {

/// What holds for the whole run, whatever it records.
struct run_setting {
  run_options options{};
  engine* graph = nullptr;  ///< null: one thread
  std::size_t threads = 0, io_threads = 0;
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;  ///< ends every loop at its next element
  std::vector<std::size_t> stated{};  ///< elements of operator i + 1 at work at once, as the user stated; 0: nothing

  /// Of a stage with these operators; 0: no limit.
  std::size_t at_once(const std::vector<std::uint32_t>& operators) const {
    std::size_t least = 0;
    for (const auto id : operators)
      if (const auto n = stated.empty() ? 0 : stated[id - 1]; n != 0 && (least == 0 || n < least)) least = n;
    return least;
  }
};
/// The same, with how much it records of itself.
template <class Trace> struct run_env : run_setting {
  using tracing = Trace;
  tracer* records = nullptr;
  std::span<const part> parts{};  ///< of the pipeline's partition
  std::size_t copies = 0;         ///< of parts of the same operators, that have an account each; 0: all

  /// Part `number`, of the operators that are there.
  built_part built(std::uint32_t number, std::vector<std::uint32_t> operators) const {
    std::sort(operators.begin(), operators.end());  // one that works at several places of it is named once
    operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
    return {number, parts[number].serial, parts[number].blocks, std::move(operators)};
  }
  account* open([[maybe_unused]] const built_part& of) const {
    if constexpr (Trace::on)
      return records->open(of, graph != nullptr, copies);
    else
      return nullptr;
  }
  /// What part `of` does, recorded if the run is. `Recorded`: its decorator.
  template <class Recorded, class Work>
  auto recorded(std::unique_ptr<Work> work, [[maybe_unused]] const built_part& of) const {
    if constexpr (Trace::on)
      return std::make_unique<Recorded>(std::move(work), open(of));
    else
      return work;
  }
  /// For more parts of the same operators than work at once in the long run.
  run_env sharing(std::size_t among) const {
    auto e = *this;
    e.copies = among;
    return e;
  }
};

/// An element kernel in its part. `Lineage`: does it, or anybody downstream, want to know which element is which?
template <class Kernel, std::uint32_t Part, bool Lineage> struct placed : Kernel {
  using kernel = Kernel;
  static constexpr std::uint32_t part = Part;
  static constexpr bool lineage = Lineage;
};

/// A line that is still open at its end: a head (a cursor, or an indexed head) and the element kernels on top of it.
template <class Head, class... K> struct open_line {
  Head head;
  std::tuple<K...> kernels;
  std::uint32_t part;                  ///< of the head
  std::vector<std::uint32_t> members;  ///< the numbers of the operators in it
  std::vector<port*> reads{};          ///< the ports that it takes from

  using element = typename kernel_chain<K...>::template output<typename Head::element>;
};
template <class H> inline constexpr bool is_indexed_head = false;
template <class V, class... I> inline constexpr bool is_indexed_head<indexed_head<V, I...>> = true;

template <class Head>
auto begin_line(Head head, std::uint32_t part, std::vector<std::uint32_t> members, std::vector<port*> reads = {}) {
  return open_line<Head>{std::move(head), {}, part, std::move(members), std::move(reads)};
}
template <class Kernel, class Head, class... K> auto append(open_line<Head, K...> l, Kernel kernel) {
  return open_line<Head, K..., Kernel>{std::move(l.head),
                                       std::tuple_cat(std::move(l.kernels), std::tuple<Kernel>(std::move(kernel))),
                                       l.part, std::move(l.members), std::move(l.reads)};
}
template <class Op, class V, class... I, class... K>
auto renumbered(open_line<indexed_head<V, I...>, K...> l, const Op* op) {
  return open_line<indexed_head<V, Op, I...>, K...>{
      {std::move(l.head.view), std::tuple_cat(std::tuple(op), l.head.index)},
      std::move(l.kernels),
      l.part,
      std::move(l.members)};
}
/// A line of numbers as one view.
template <class Trace, class H, class... K> auto folded(open_line<H, K...> l) {
  auto head = metered_if<Trace, metered_view>(std::move(l.head));
  using view =
      folded_view<decltype(head), decltype(metered_if<Trace, metered_kernel>(std::declval<typename K::kernel>()))...>;
  return std::apply(
      [&](auto&... k) {
        (l.members.push_back(k.id), ...);
        return begin_line(
            indexed_head<view>{
                {std::move(head), {{metered_if<Trace, metered_kernel>(typename K::kernel(std::move(k)))...}}}, {}},
            l.part, std::move(l.members));
      },
      l.kernels);
}

template <class Trace, class Up, class... K>
auto stack(Up up, std::tuple<K...> kernels, const std::atomic<bool>* stop) {
  if constexpr (sizeof...(K) == 0)
    return up;
  else if constexpr (Trace::on)
    return metered_element_cursor<Up, typename K::kernel...>({std::move(kernels)}, std::move(up), stop);
  else
    return element_cursor<Up, typename K::kernel...>({std::move(kernels)}, std::move(up), stop);
}
/// A line as one cursor.
template <class Trace, class Head, class... K> auto pulled(open_line<Head, K...> l, const run_env<Trace>& env) {
  std::apply([&](const auto&... k) { (l.members.push_back(k.id), ...); }, l.kernels);
  auto head = [&] {
    if constexpr (is_indexed_head<Head>) {
      const auto id = l.head.id();
      return metered_if<Trace, metered_cursor>(indexed_cursor<Head>(std::move(l.head), env.stop), id);
    } else {
      return std::move(l.head);
    }
  }();
  return begin_line(stack<Trace>(std::move(head), std::move(l.kernels), env.stop), l.part, std::move(l.members),
                    std::move(l.reads));
}

/// How many leading kernels share a part.
template <class... K> inline constexpr std::size_t fused = 0;
template <class K> inline constexpr std::size_t fused<K> = 1;
template <class F, class G, class... R>
inline constexpr std::size_t fused<F, G, R...> = F::part == G::part ? 1 + fused<G, R...> : 1;

/// `Lineage`: of what the last one makes.
template <bool Lineage, class Trace, class In, class... K>
void add_stages(const run_env<Trace>& env, In in, line_state state, std::vector<engine::step>& steps,
                std::tuple<K...> kernels, std::uint32_t part, std::vector<std::uint32_t> members = {}) {
  constexpr std::size_t here = fused<K...>;
  [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
    using tuple = std::tuple<K...>;
    using out = typename open_line<In, std::tuple_element_t<I, tuple>...>::element;
    constexpr bool keep = std::array{std::tuple_element_t<here + J, tuple>::lineage..., Lineage}.front();
    (members.push_back(std::get<I>(kernels).id), ...);
    auto of = env.built(part, std::move(members));
    using made_stage = stage<Trace, In, out, keep, typename std::tuple_element_t<I, tuple>::kernel...>;
    auto work = std::make_unique<made_stage>(
        in, state, std::tuple<typename std::tuple_element_t<I, tuple>::kernel...>(std::get<I>(kernels)...));
    const auto at_once = env.at_once(of.operators);
    auto recorded = env.template recorded<recorded_stage>(std::move(work), of);
    steps.push_back({std::move(recorded), std::move(of), at_once});
    if constexpr (sizeof...(J) > 0)
      add_stages<Lineage>(env, given<out>{}, state, steps, std::tuple(std::get<here + J>(std::move(kernels))...),
                          std::array{K::part..., part}[here]);
  }
  (std::make_index_sequence<here>{}, std::make_index_sequence<sizeof...(K) - here>{});
}

/// Do none of the elements along a line own memory?
template <class In, class... K> inline constexpr bool plain = std::is_trivially_copyable_v<In>;
template <class In, class F, class... R>
inline constexpr bool plain<In, F, R...> =
    std::is_trivially_copyable_v<In>&& plain<typename F::template output<In>, R...>;

/// Ends a line at a port of its own. `Lineage`: does anybody behind it want to know which element is which?
template <bool Lineage, class Trace, class Head, class... K>
port* close_line(open_line<Head, K...> line, const run_env<Trace>& env, bool ordered, buffering size = {}) {
  using element = typename Head::element;
  engine& graph = *env.graph;
  if (size.messages == 0) {
    const bool reads = (env.parts[K::part].blocks || ... || false);
    size.messages = sizeof...(K) == 0 ? 4 : 2 * env.threads + 2 + (reads ? env.io_threads : 0);
  }
  // What a message may hold at most bounds the memory in flight, and how late an element may come when elements turn
  // slow: the cost that sets a message's size is that of the elements before it.
  if (size.elements == 0)
    size.elements =
        plain<element, K...> ? std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 2048) : 128;
  auto* out = graph.make_port(size.messages, ordered);
  auto* cost = graph.make_pace(env.options.chunk.value_or(0));
  const line_state state{out, &graph.stop_flag(), cost};
  std::vector<engine::step> steps;
  if constexpr (is_indexed_head<Head>) {
    const auto head = std::make_shared<const Head>(std::move(line.head));
    add_stages<Lineage>(env, made<Head>{head.get()}, state, steps, std::move(line.kernels), line.part,
                        std::move(line.members));
    graph.add_line(std::make_unique<indexed_feeder<Head>>(head, out, cost, message_limits{size.elements}), {},
                   std::move(steps), out, line.reads);
  } else {
    if constexpr (sizeof...(K) > 0)
      add_stages<Lineage>(env, given<element>{}, state, steps, std::move(line.kernels),
                          std::tuple_element_t<0, std::tuple<K...>>::part);
    auto of = env.built(line.part, std::move(line.members));
    constexpr bool keep = std::array{K::lineage..., Lineage}.front();
    auto feeder = std::make_unique<cursor_feeder<Trace, Head, keep>>(std::move(line.head), out, cost,
                                                                     message_limits{size.elements}, &graph.stop_flag());
    auto recorded = env.template recorded<recorded_feeder>(std::move(feeder), of);
    graph.add_line(std::move(recorded), std::move(of), std::move(steps), out, line.reads);
  }
  return out;
}

}  // namespace plumbline::detail
