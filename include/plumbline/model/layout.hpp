#pragma once
/// layout(p): what each operator of a pipeline is and where it will run, without running it: one row an operator,
/// upstream first. The stages follow the rules by which exec/lower.hpp cuts a chain; a stage is one flow-graph node.

#include <plumbline/core/form.hpp>
#include <plumbline/core/type_name.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace plumbline {

struct layout_row {
  std::uint32_t number = 0;   ///< as in errors and run_options::parallelism
  std::string name, element;  ///< the operator, and what it yields
  stream_facts facts{};       ///< of what it yields, run-time sizes included
  form how{};
  bool blocking = false;                ///< this operator itself reads storage
  bool random = false;                  ///< this operator itself draws
  bool copyable = true;                 ///< its elements can be kept and given again
  std::uint32_t stage = 0;              ///< where it runs; 0: nowhere, it costs nothing
  std::uint32_t handed_on = 0;          ///< where its groups are handed on, if that is another stage
  std::vector<std::uint32_t> inputs{};  ///< the numbers of the operators that it takes from
  /// Elements that it takes for each one that it yields, in a long stream, where its own count rule tells (batch<4>: 4,
  /// repeat<2>: 0.5, map: 1); 0 where only a run can tell (a filter), and for sources and joins.
  double takes = 0;
  bool replays = false;  ///< from the second epoch on, nothing below it is asked
};

namespace detail {

/// layout_row::takes: the slope of the operator's count rule, far out, where first and last elements do not matter.
template <class Op> constexpr double taken_for_one(const Op& op, stream_facts in) {
  constexpr std::uint64_t far = std::uint64_t{720720} << 16;  // a multiple of most batch sizes
  const auto yields = [&](std::uint64_t n) {
    in.count = cardinality::exactly(n);
    return facts_now(op, in).count;
  };
  const auto once = yields(far), twice = yields(2 * far);
  if (!once.exact() || !twice.exact() || twice.least <= once.least) return 0;
  return static_cast<double>(far) / static_cast<double>(twice.least - once.least);
}

class layout_walk {
 public:
  std::vector<layout_row> rows;
  std::uint32_t stages = 0;

  template <class P> void whole(const P& p) {
    auto end = walk(p, 0);
    if (!end.waiting.empty()) settle(end, ++stages);
  }

 private:
  /// A line that is still open, as in exec/lower.hpp.
  struct line {
    bool kernels = false, positioned = true, place_free = true;
    std::uint32_t serial = 0;            ///< the serial part at its head, 0 if it begins with numbers
    std::uint32_t parallel = 0;          ///< the stage that is open at its end
    bool blocks = false;                 ///< that stage is one of I/O threads
    std::vector<std::size_t> waiting{};  ///< rows that run wherever their elements are first needed
  };
  void settle(line& l, std::uint32_t stage) {
    for (const auto i : l.waiting) rows[i].stage = stage;
    l.waiting.clear();
  }
  /// The serial part that takes over from this line; joins it where the line has no stage of its own.
  std::uint32_t take_over(line l) {
    const auto stage = l.kernels || l.serial == 0 ? ++stages : l.serial;
    settle(l, stage);
    return stage;
  }
  static line serial_line(std::uint32_t stage) { return {.serial = stage}; }

  template <class Op, class... Ups>
  std::size_t add(const node<Op, Ups...>& p, std::uint32_t before, std::vector<std::uint32_t> inputs) {
    using P = node<Op, Ups...>;
    std::string name(Op::name);
    if constexpr (requires { p.op.label(); }) name = p.op.label();
    rows.push_back({before + operators_in<P>, std::move(name), type_name<typename P::element>(), p.facts(), form_of<P>,
                    blocking<Op>, random<Op>, std::copy_constructible<typename P::element>});
    rows.back().inputs = std::move(inputs);
    rows.back().replays = replays<Op>;
    if constexpr (sizeof...(Ups) == 1) rows.back().takes = taken_for_one(p.op, p.up().facts());
    return rows.size() - 1;
  }
  void kernel(line& l, std::size_t row, bool blocks) {
    if (l.parallel == 0 || l.blocks != blocks) l.parallel = ++stages;
    l.blocks = blocks;
    l.kernels = true;
    settle(l, l.parallel);
    rows[row].stage = l.parallel;
  }

  template <class Op> line walk(const node<Op>& p, std::uint32_t before) {
    const auto row = add(p, before, {});
    if constexpr (indexed_source<Op>) return {.waiting = {row}};
    rows[row].stage = ++stages;
    return serial_line(stages);
  }
  template <class Op, class Up> line walk(const node<Op, Up>& p, std::uint32_t before) {
    constexpr form how = form_of<node<Op, Up>>;
    line l = walk(p.up(), before);
    const auto row = add(p, before, {rows.back().number});
    if constexpr (how == form::renumber) {
      if (!l.place_free) l = {.waiting = std::move(l.waiting)};
      return l;
    } else if constexpr (how == form::element) {
      if (uses_position<Op> && !l.positioned) l = serial_line(take_over(std::move(l)));
      kernel(l, row, blocking<Op>);
      l.positioned = l.positioned && one_to_one<Op>;
      l.place_free = l.place_free && !uses_position<Op>;
      return l;
    } else if constexpr (how == form::memo) {
      kernel(l, row, l.kernels && l.blocks);
      return l;
    } else if constexpr (how == form::fill) {
      if (!l.positioned) l = serial_line(take_over(std::move(l)));
      kernel(l, row, false);
      return serial_line(rows[row].handed_on = take_over(std::move(l)));
    } else if constexpr (how == form::decouple) {
      if (l.serial == 0 && !l.kernels) l.parallel = ++stages, settle(l, stages);
      return serial_line(rows[row].stage = ++stages);
    } else {
      return serial_line(rows[row].stage = take_over(std::move(l)));
    }
  }
  template <class Op, class... Ups>
    requires(sizeof...(Ups) > 1)
  line walk(const node<Op, Ups...>& p, std::uint32_t before) {
    std::vector<line> lines;
    std::vector<std::uint32_t> inputs;
    const auto first = rows.size();
    std::apply(
        [&](const auto&... up) {
          ((lines.push_back(walk(up, before)), inputs.push_back(rows.back().number),
            before += operators_in<std::remove_cvref_t<decltype(up)>>),
           ...);
        },
        p.ups);
    const auto row = add(p, before - (operators_in<Ups> + ...), std::move(inputs));
    if constexpr (form_of<node<Op, Ups...>> == form::join) {
      line joined;
      for (auto i = first; i <= row; ++i) {
        rows[i].stage = 0;
        if (rows[i].how != form::renumber) joined.waiting.push_back(i);
      }
      return joined;
    } else {
      const auto stage = ++stages;
      for (auto& l : lines) {
        if (!l.kernels && l.serial != 0)  // runs within the join's own part
          for (auto& r : rows) r.stage = r.stage == l.serial ? stage : r.stage;
        if (!l.kernels) settle(l, stage);
      }
      rows[row].stage = stage;
      return serial_line(stage);
    }
  }
};

}  // namespace detail

/// O(operators). The rows of a join's inputs come before it, left to right.
template <pipeline P> std::vector<layout_row> layout(const P& p) {
  detail::layout_walk walk;
  walk.whole(p);
  // stages are numbered in the order in which elements pass them, without gaps
  std::vector<std::uint32_t> seen;
  for (const auto& r : walk.rows)
    for (const auto s : {r.stage, r.handed_on})
      if (s != 0 && std::find(seen.begin(), seen.end(), s) == seen.end()) seen.push_back(s);
  const auto renumber = [&](std::uint32_t s) {
    return s == 0 ? 0 : static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), s) - seen.begin()) + 1;
  };
  for (auto& r : walk.rows) {
    r.stage = renumber(r.stage);
    r.handed_on = renumber(r.handed_on);
  }
  return std::move(walk.rows);
}

}  // namespace plumbline
