#pragma once
/// partition<N>: how N operators are divided into parts, computed from a dozen facts about each. Ordinary arithmetic:
/// none of a pipeline's types is known here. A new form of operator needs a case in `partition::add`, nowhere else.

#include <plumbline/core/placement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumbline {

namespace detail {

/// What the partition needs to know about an operator.
struct cut_facts {
  form how{};
  std::uint32_t inputs = 0;
  bool by_number = false, blocks = false, streams_block = false, one_to_one = false, uses_position = false,
       reads_lineage = false, order_free = false;
  bool computes = false;  ///< an indexed source that runs code of the user for each element
};

}  // namespace detail

template <std::size_t N> struct partition {
  std::array<placement, N> operators{};  ///< operator i + 1, upstream first
  std::array<part, 3 * N + 1> parts{};   ///< from 1, in the order in which elements pass them
  std::uint32_t count = 0;               ///< number of parts
  bool waits = false;                    ///< true if any operator in it blocks

  /// The number of the operator that operator `number` takes elements from (the k-th of several); 0 if there is none.
  constexpr std::uint32_t input(std::uint32_t number, std::size_t k = 0) const {
    for (std::uint32_t i = 0; i + 1 < number; ++i)
      if (operators[i].downstream == number && k-- == 0) return i + 1;
    return 0;
  }

  /// Part `number`, as a run must build it.
  built_part described(std::uint32_t number) const {
    built_part p{number, parts[number].serial, parts[number].blocks, {}};
    for (std::uint32_t i = 0; i != N; ++i)
      if (operators[i].runs_in(number)) p.operators.push_back(i + 1);
    return p;
  }

  constexpr partition(const std::array<detail::cut_facts, N>& of, running how) {
    const bool threads = how == running::on_threads;
    std::array<segment, N> open{};
    std::size_t depth = 0;
    std::uint32_t sources = 0;
    for (std::uint32_t i = 0; i != N; ++i) {
      depth -= of[i].inputs;
      operators[i].source_index = of[i].inputs == 0 ? sources++ : operators[open[depth].last].source_index;
      open[depth] = add(of[i], i, &open[depth], threads);
      ++depth;
      waits = waits || of[i].blocks || of[i].streams_block;
    }
    operators[N - 1].to = threads ? handover::channel : handover::direct;
    operators[N - 1].lineage = how == running::nested;
    operators[N - 1].any_order = true;
    for (std::size_t i = N - 1; i-- != 0;) ask_downstream(operators[i], of[operators[i].downstream - 1], threads);
    if (threads)
      number_parts();
    else
      be_one_part();
  }

 private:
  /// A segment that is still open at its end.
  struct segment {
    std::uint32_t first = 0, last = 0;  ///< operators (from 0): the first one upstream, and the segment's last
    std::uint32_t head = 0;             ///< the serial part at its head; for indices, the stage that makes the elements
    std::uint32_t stage = 0;            ///< the stage open at its end; 0: no operator behind the head does any work
    bool numbers = false;               ///< the head only produces indices
    bool positioned = true;             ///< a stage knows the positions of its elements
    bool place_free = true;             ///< no operator in it depends on positions
    bool computes = false;              ///< its head does work, so that it is worth a stage
  };
  constexpr std::uint32_t begin_part(part p) {
    parts[++count] = p;
    return count;
  }
  constexpr void merge(std::uint32_t from, std::uint32_t into, std::uint32_t first, std::uint32_t last) {
    parts[into].blocks = parts[into].blocks || parts[from].blocks;
    parts[into].by_number = parts[into].by_number || parts[from].by_number;
    for (auto i = first; i <= last; ++i)
      for (auto* p : {&operators[i].part, &operators[i].before, &operators[i].also})
        if (*p == from) *p = into;
  }
  /// Merges the whole segment into part `into`, which becomes its head.
  constexpr void fold(segment& s, std::uint32_t into) {
    operators[s.last].to = handover::folded;
    for (auto i = s.first; i <= s.last; ++i)
      for (auto* p : {&operators[i].part, &operators[i].before})
        if (*p != 0) *p = into;
    s = {.first = s.first, .last = s.last, .head = into, .numbers = true, .computes = s.computes || s.stage != 0};
  }
  /// Connects the segment to the serial part `into` that takes its elements: by a channel if the segment does work in
  /// parallel, else by merging its head into that part.
  constexpr void take(segment& s, std::uint32_t into, bool threads) {
    const bool ends = threads && (s.stage != 0 || s.computes);
    operators[s.last].to = ends ? handover::channel : handover::direct;
    if (!ends) merge(s.head, into, s.first, s.last);
  }
  /// The stage for a kernel at the segment's end: the open one if both block or neither does, else a new one.
  constexpr std::uint32_t stage_for(segment& s, bool blocks) {
    if (s.stage == 0 && s.numbers) {
      s.stage = s.head;
      parts[s.head].blocks = blocks;
    } else if (s.stage == 0 || parts[s.stage].blocks != blocks) {
      s.stage = begin_part({.blocks = blocks});
    }
    return s.stage;
  }
  /// Makes the segment's head a part that blocks, for operator i to look elements up in. Kernels there that do not
  /// block move to a part of their own.
  constexpr void look_up_first(segment& s, std::uint32_t i) {
    if (s.stage == 0 || parts[s.head].blocks) return;
    const auto own = begin_part({});
    for (auto k = s.first; k != i; ++k)
      if (operators[k].how != form::source)
        for (auto* p : {&operators[k].part, &operators[k].before})
          if (*p == s.head) *p = own;
    if (s.stage == s.head) s.stage = own;
    parts[s.head].blocks = true;
  }
  /// Adds a serial part that counts the elements; behind it their positions are known again.
  constexpr void count_again(segment& s, placement& here) {
    operators[s.last].to = handover::channel;
    here.before = begin_part({.serial = true});
    s = {.first = s.last + 1, .last = s.last, .head = here.before};
  }

  /// Places operator i behind the segments that it takes from. Returns the segment that it leaves open.
  constexpr segment add(const detail::cut_facts& op, std::uint32_t i, segment* ups, bool threads) {
    placement& here = operators[i];
    here.how = op.how;
    for (std::uint32_t u = 0; u != op.inputs; ++u) operators[ups[u].last].downstream = i + 1;
    segment s = ups[0];
    switch (op.how == form::scatter && !threads ? form::serial : op.how) {
      case form::source:
        here.part =
            begin_part({.serial = !op.by_number, .blocks = op.blocks && !op.by_number, .by_number = op.by_number});
        return {.first = i, .last = i, .head = here.part, .numbers = op.by_number, .computes = op.computes};
      case form::renumber:
        if (!s.place_free) fold(s, s.head);
        break;
      case form::element:
        if (threads && op.uses_position && !s.positioned) count_again(s, here);
        here.part = stage_for(s, op.blocks);
        s.positioned = s.positioned && op.one_to_one;
        s.place_free = s.place_free && !op.uses_position;
        break;
      case form::index_cache:
        if (op.blocks) look_up_first(s, i);
        here.part = stage_for(s, op.blocks || (s.stage != 0 && parts[s.stage].blocks));
        here.before = s.head;
        break;
      case form::scatter:
        if (!s.positioned) count_again(s, here);
        here.part = stage_for(s, false);
        here.also = begin_part({.serial = true});
        return {.first = s.first, .last = i, .head = here.also};
      case form::join:
        for (std::uint32_t u = 0; u != op.inputs; ++u) fold(ups[u], s.head);
        here.part = s.head;
        parts[s.head] = {.by_number = true};
        for (std::uint32_t u = 0; u != op.inputs; ++u) s.computes = s.computes || ups[u].computes;
        return {.first = s.first, .last = i, .head = s.head, .numbers = true, .computes = s.computes};
      case form::async_boundary:
        if (!threads) break;
        operators[s.last].to = handover::channel;
        here.part = begin_part({.serial = true});
        return {.first = s.first, .last = i, .head = here.part};
      case form::nest:
      case form::serial:
      case form::structure:
        here.part = begin_part({.serial = true, .blocks = op.blocks});
        for (std::uint32_t u = 0; u != op.inputs; ++u) take(ups[u], here.part, threads);
        if (op.how == form::nest) here.also = begin_part({.serial = true, .blocks = op.streams_block, .streams = true});
        return {.first = s.first, .last = i, .head = here.part};
    }
    s.last = i;
    return s;
  }

  /// Sets what the operators downstream need of this one's elements: their lineage, their order.
  constexpr void ask_downstream(placement& here, const detail::cut_facts& downstream, bool threads) {
    const placement& next = operators[here.downstream - 1];
    const bool fills = threads && downstream.how == form::scatter;
    here.lineage = next.lineage || downstream.reads_lineage || downstream.how == form::index_cache || fills;
    switch (downstream.how) {
      case form::renumber:
      case form::index_cache:
      case form::join:
      case form::async_boundary:
        here.any_order = next.any_order;
        break;
      case form::scatter:
      case form::structure:
        break;
      default:
        here.any_order = next.any_order && downstream.order_free && next.before == 0;
    }
  }

  /// Numbers the parts in the order in which elements pass them. The executor's own parts, and those that there are
  /// several of, come last.
  constexpr void number_parts() {
    std::array<std::uint32_t, 3 * N + 1> as{};
    const auto old = parts;
    const auto number = [&](std::uint32_t& p) {
      if (p == 0) return;
      if (as[p] == 0) parts[as[p] = ++count] = old[p];
      p = as[p];
    };
    parts = {};
    count = 0;
    for (auto& o : operators) {
      number(o.part);
      if (o.how == form::scatter) number(o.also);
    }
    for (auto& o : operators) {
      number(o.before);
      if (o.how == form::nest) number(o.also);
    }
  }
  constexpr void be_one_part() {
    for (auto& o : operators) o.part = o.part != 0 ? 1 : 0, o.before = o.also = 0;
    parts = {};
    parts[count = 1] = {.serial = true, .blocks = true};  // the consumer's thread may wait
  }
};

}  // namespace plumbline
