#pragma once
/// Lines: an open line is a head (a cursor, or numbers) with the element kernels stacked on it so far; closing it cuts
/// it into stages on the engine and ends it at a port; a channel is how the next serial part takes from it.

#include <plumbline/core/buffering.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/feeder.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/exec/port_cursor.hpp>
#include <plumbline/exec/probed.hpp>
#include <plumbline/exec/traced_kernels.hpp>

#include <algorithm>
#include <memory>
#include <string>
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
};
/// The same, with how much it records of itself.
template <class Trace> struct run_env : run_setting {
  using tracing = Trace;
  tracer* records = nullptr;
  std::size_t copies = 0;  ///< of parts of the same operators, that have an account each; 0: all

  /// An account for one part.
  probe<Trace> account(std::vector<std::uint32_t> operators, bool serial, bool blocks) const {
    if constexpr (Trace::on)
      return {records, records->open(std::move(operators), serial, blocks, graph != nullptr, copies)};
    else
      return {};
  }
  /// For more parts of the same operators than work at once in the long run.
  run_env sharing(std::size_t among) const {
    auto e = *this;
    e.copies = among;
    return e;
  }
};

/// A line that is still open at its end: a head (a cursor, or an indexed head) and the element kernels on top of it.
template <class Head, class... K> struct open_line {
  Head head;
  std::tuple<K...> kernels;
  std::vector<port*> reads;              ///< the ports that the head takes from
  std::size_t at_once = 0;               ///< what was stated of the operators folded into the head; 0: nothing
  std::vector<std::uint32_t> members{};  ///< the numbers of the operators in the head

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

template <class Head>
auto begin_line(Head head, std::vector<std::uint32_t> members, std::vector<port*> reads = {}, std::size_t at_once = 0) {
  return open_line<Head>{std::move(head), {}, std::move(reads), at_once, std::move(members)};
}
template <class Kernel, class Head, class... K> auto append(open_line<Head, K...> line, Kernel kernel) {
  return open_line<Head, K..., Kernel>{std::move(line.head),
                                       std::tuple_cat(std::move(line.kernels), std::tuple(std::move(kernel))),
                                       std::move(line.reads), line.at_once, std::move(line.members)};
}

// --- what the user stated of how many of an operator's elements may be at work at once; 0: nothing

constexpr std::size_t lower_limit(std::size_t a, std::size_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }
inline std::size_t stated_parallelism(const run_setting& env, std::string_view name, std::uint32_t id) {
  std::size_t n = 0;
  for (const auto& [which, most] : env.options.parallelism)
    if (means(which, name, id)) n = lower_limit(n, most);
  return n;
}
template <class... K> std::size_t stated_parallelism(const run_setting& env, const std::tuple<K...>& kernels) {
  return std::apply(
      [&](const auto&... k) {
        std::size_t n = 0;
        ((n = lower_limit(n, stated_parallelism(env, k.name, k.id))), ...);
        return n;
      },
      kernels);
}
/// Of the whole line, the operators folded into its head included.
template <class Head, class... K>
std::size_t stated_parallelism(const run_setting& env, const open_line<Head, K...>& l) {
  return lower_limit(l.at_once, stated_parallelism(env, l.kernels));
}

// --- closing a line

/// How many leading kernels block alike.
template <bool Blocks, class... K> inline constexpr std::size_t leading = 0;
template <bool Blocks, class F, class... R>
inline constexpr std::size_t leading<Blocks, F, R...> = F::blocks == Blocks ? 1 + leading<Blocks, R...> : 0;

template <bool KeepLast, class Trace, class In, class F, class... R>
void add_stages(const run_env<Trace>& env, In in, line_state state, std::vector<engine::step>& steps,
                std::tuple<F, R...> kernels, std::size_t head_at_once = 0, std::vector<std::uint32_t> members = {}) {
  constexpr std::size_t here = leading<F::blocks, F, R...>;
  constexpr std::size_t all = 1 + sizeof...(R);
  [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
    using tuple = std::tuple<F, R...>;
    using out = typename open_line<In, std::tuple_element_t<I, tuple>...>::element;
    constexpr bool keep = KeepLast || (std::tuple_element_t<here + J, tuple>::reads_lineage || ... || false);
    std::tuple<std::tuple_element_t<I, tuple>...> own{std::get<I>(kernels)...};
    const std::size_t at_once = lower_limit(head_at_once, stated_parallelism(env, own));
    (members.push_back(std::get<I>(own).id), ...);
    using made_stage = stage<Trace, In, out, keep, std::tuple_element_t<I, tuple>...>;
    steps.push_back(
        {std::make_unique<made_stage>(in, state, std::move(own), env.account(std::move(members), false, F::blocks)),
         F::blocks, at_once});
    if constexpr (sizeof...(J) > 0)
      add_stages<KeepLast>(env, given<out>{}, state, steps, std::tuple(std::get<here + J>(kernels)...));
  }
  (std::make_index_sequence<here>{}, std::make_index_sequence<all - here>{});
}

/// Do none of the elements along a line own memory?
template <class In, class... K> inline constexpr bool plain = std::is_trivially_copyable_v<In>;
template <class In, class F, class... R>
inline constexpr bool plain<In, F, R...> =
    std::is_trivially_copyable_v<In>&& plain<typename F::template output<In>, R...>;

/// Ends a line at a port of its own.
template <bool Keep, class Trace, class Head, class... K>
port* close_line(open_line<Head, K...> line, const run_env<Trace>& env, bool ordered, buffering size = {}) {
  using element = typename Head::element;
  engine& graph = *env.graph;
  constexpr bool keep_head = Keep || (K::reads_lineage || ... || false);
  constexpr bool reads = (K::blocks || ... || false);
  if (size.messages == 0) size.messages = sizeof...(K) == 0 ? 4 : 2 * env.threads + 2 + (reads ? env.io_threads : 0);
  // What a message may hold at most bounds the memory in flight, and how late an element may come when elements turn
  // slow: the cost that sets a message's size is that of the elements before it.
  if (size.elements == 0)
    size.elements =
        plain<element, K...> ? std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 2048) : 128;
  auto* out = graph.make_port(size.messages, ordered);
  auto* cost = graph.make_pace(env.options.chunk.value_or(0));
  const line_state state{out, &graph.stop_flag(), cost};
  std::vector<engine::step> steps;
  std::unique_ptr<feeder_base> feeder;
  bool feeder_blocks = false;
  if constexpr (is_indexed_head<Head>) {
    const auto head = std::make_shared<const Head>(std::move(line.head));
    if constexpr (sizeof...(K) > 0) {
      add_stages<Keep>(env, made<Head>{head.get()}, state, steps, std::move(line.kernels), line.at_once,
                       std::move(line.members));
    } else {
      steps.push_back(
          {std::make_unique<stage<Trace, made<Head>, element, Keep>>(
               made<Head>{head.get()}, state, std::tuple<>{}, env.account(std::move(line.members), false, false)),
           false, line.at_once});
    }
    feeder = std::make_unique<indexed_feeder<Head>>(head, out, cost, message_limits{size.elements}, &graph.stop_flag());
  } else {
    if constexpr (sizeof...(K) > 0) add_stages<Keep>(env, given<element>{}, state, steps, std::move(line.kernels));
    feeder_blocks = Head::blocks;
    feeder = std::make_unique<cursor_feeder<Trace, Head, keep_head>>(
        std::move(line.head), out, cost, message_limits{size.elements}, &graph.stop_flag(),
        env.account(std::move(line.members), true, Head::blocks));
  }
  graph.add_line(std::move(feeder), feeder_blocks, std::move(steps), out, line.reads);
  return out;
}

/// A cursor, and the ports that it takes from.
template <class Cursor> struct channel {
  Cursor cursor;
  std::vector<port*> reads;
  std::vector<std::uint32_t> members;  ///< the numbers of the operators in the cursor
};

template <std::size_t I, class Trace, class Up, class... K>
auto stack(Up up, std::tuple<K...> kernels, const std::atomic<bool>* stop) {
  if constexpr (I == sizeof...(K)) {
    return up;
  } else if constexpr (Trace::on) {
    return traced_kernels<Up, K...>(std::move(kernels), std::move(up), stop);
  } else {
    using cursor = element_cursor<std::tuple_element_t<I, std::tuple<K...>>, Up>;
    cursor on_top(std::get<I>(kernels), std::move(up), stop);  // before the kernels move on
    return stack<I + 1, Trace>(std::move(on_top), std::move(kernels), stop);
  }
}
template <class Trace, class Head> auto cursor_of(Head head, const run_env<Trace>& env) {
  if constexpr (is_indexed_head<Head>) {
    const auto id = head.id();
    return probed_if<Trace, probed_cursor>(indexed_cursor<Head>(std::move(head), env.stop), id);
  } else
    return head;
}

/// The upstream of a serial part: the line itself where it has no kernels of its own, else the port that it ends at.
template <bool Parallel, bool Keep, class Trace, class Head, class... K>
auto channel_of(open_line<Head, K...> line, run_env<Trace>& env, bool ordered) {
  if constexpr (!Parallel) {
    auto members = std::move(line.members);
    std::apply([&](const auto&... k) { (members.push_back(k.id), ...); }, line.kernels);
    auto c = stack<0, Trace>(cursor_of(std::move(line.head), env), std::move(line.kernels), env.stop);
    return channel<decltype(c)>{std::move(c), {}, std::move(members)};
  } else if constexpr (sizeof...(K) == 0) {
    auto reads = std::move(line.reads);
    auto members = std::move(line.members);
    auto c = cursor_of(std::move(line.head), env);
    return channel<decltype(c)>{std::move(c), std::move(reads), std::move(members)};
  } else {
    using element = typename open_line<Head, K...>::element;
    auto* p = close_line<Keep>(std::move(line), env, ordered);
    return channel<port_cursor<element>>{port_cursor<element>(p), {p}, {}};
  }
}

}  // namespace plumbline::detail
