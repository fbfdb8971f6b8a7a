#pragma once
/// layout(p): what each operator of a pipeline is and where it will run, without running it: one row per operator,
/// upstream first. The partition decides where operators run (core/partition.hpp); the layout adds names and run-time
/// sizes.

#include <plumbline/core/copies.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/operator_traits.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/core/type_name.hpp>

#include <string>
#include <vector>

namespace plumbline {

struct layout_row {
  std::uint32_t number = 0;   ///< as in errors and run_options::parallelism
  std::string name, element;  ///< the operator, and what it yields
  stream_facts facts{};       ///< of what it yields, run-time sizes included
  form how{};
  bool blocking = false;                ///< this operator itself reads storage
  bool random = false;                  ///< this operator itself draws random numbers
  bool copyable = true;                 ///< its elements can be copied, so a cache can keep them
  std::uint32_t stage = 0;              ///< the part where it runs; 0: nowhere, it costs nothing
  std::uint32_t handed_on = 0;          ///< the part that passes its groups on, if that is another
  std::vector<std::uint32_t> inputs{};  ///< the numbers of the operators that it takes from
  /// Elements that it takes for each one that it yields, in a long stream, if its count rule determines that (batch<4>:
  /// 4, repeat<2>: 0.5, map: 1); 0 if only a run can show it (a filter), and for sources and joins.
  double takes = 0;
  bool varies = false;    ///< it keeps other elements in each epoch: it cuts a stream whose order changes
  bool added = false;     ///< a plan put it into the pipeline; it is not in the pipeline as written
  bool replays = false;   ///< from the second epoch on, it takes nothing from upstream
  bool persists = false;  ///< and what it replays is not in this process's memory
  double keeps_most =
      0;  ///< it keeps elements in at most so many bytes, and takes the others from upstream again; 0: none
  double keeps_share = 0;   ///< of a cache that keeps a share of its elements: which
  double files = 0;         ///< files that it lists; 0: it lists none
  double file_bytes = 0;    ///< the size of all these
  double holds = 0;         ///< elements of its input that it keeps within itself, at most (a shuffle's buffer)
  std::size_t buffers = 0;  ///< messages of the buffer before it, if it states how many
  /// In the traces of analyze, optimize and run_live: the limit that run_options::parallelism states; 0: none. Not in
  /// files.
  std::size_t at_once = 0;
  std::string report{};  ///< what it states of its runs so far (`std::string report() const`)
};

namespace detail {

/// Computes layout_row::takes: the slope of the operator's count rule in a long stream, where the ends do not matter.
template <class Up, class Op> constexpr double taken_for_one(const Op& op, stream_facts in) {
  constexpr std::uint64_t far = std::uint64_t{720720} << 16;  // a multiple of most batch sizes
  const auto yields = [&](std::uint64_t n) {
    in.count = cardinality::exactly(n);
    return facts_now<Op, Up>(op, in).count;
  };
  const auto once = yields(far), twice = yields(2 * far);
  if (!once.exact() || !twice.exact() || twice.least <= once.least) return 0;
  return static_cast<double>(far) / static_cast<double>(twice.least - once.least);
}

template <class Op, class... Ups> void add_rows(const node<Op, Ups...>& p, std::vector<layout_row>& rows) {
  using P = node<Op, Ups...>;
  p.ups.apply([&](const auto&... up) { (add_rows(up, rows), ...); });
  auto& row = rows.emplace_back();
  row.number = static_cast<std::uint32_t>(rows.size());
  row.name = label_of(p.op);
  row.element = type_name<typename P::element>();
  row.facts = p.facts();
  row.blocking = blocking<Op>;
  row.random = is_random<node<Op, Ups...>>;
  row.copyable = copies<typename P::element>;
  if constexpr (sizeof...(Ups) == 1) {
    const auto in = p.up().facts();
    row.takes = taken_for_one<Ups...>(p.op, in);
    row.varies = cuts<Op> && in.order == ordering::permuted;
  }
  row.added = requires { Op::is_added; };
  row.persists = persists<Op>;
  if constexpr (requires { p.op.limit; }) row.keeps_most = static_cast<double>(p.op.limit.count);
  if constexpr (requires { p.op.of.to; }) row.keeps_share = p.op.of.to - p.op.of.from;
  row.replays = replays<Op> && (!keeps_part<Op> || row.keeps_share == 1);
  if constexpr (async_boundary<Op>) row.buffers = p.op.buffer().messages;
  if constexpr (lists_files<Op>) {
    row.files = static_cast<double>(p.op.listed().size());
    row.file_bytes = static_cast<double>(p.op.listed().bytes());
  }
  if constexpr (requires { p.op.holds(); }) row.holds = static_cast<double>(p.op.holds());
  if constexpr (requires { p.op.report(); }) row.report = p.op.report();
}

}  // namespace detail

/// O(operators). The rows of a join's inputs come before it, left to right.
template <pipeline P> std::vector<layout_row> layout(const P& p) {
  std::vector<layout_row> rows;
  detail::add_rows(p, rows);
  for (auto& row : rows) {
    const placement& at = partition_of<P>.operators[row.number - 1];
    row.how = at.how;
    row.stage = at.part;
    if (at.how == form::scatter) row.handed_on = at.also;
    if (at.downstream != 0) rows[at.downstream - 1].inputs.push_back(row.number);
  }
  return rows;
}

}  // namespace plumbline
