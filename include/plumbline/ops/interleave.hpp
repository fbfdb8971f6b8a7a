#pragma once
/// interleave(f, {.cycle_length, .block_length}): f makes a stream from each element; `cycle_length` of them are open
/// at once and give `block_length` elements in turn. The order is exactly tf.data's, whatever runs in parallel. Open
/// streams run ahead of their turn; with threads, as many more (4 at most) are opened ahead, if that needs no waiting.
///   files("train-*.tfrecord") | interleave([](const file& f) { return tfrecords(f.path); }, {.cycle_length = 8})
/// tf.data: interleave, PyTorch: -, grain: InterleaveIterDataset, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/wanted.hpp>
#include <plumbline/ops/interleave_cursor.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace plumbline {

struct interleave_options {
  std::uint64_t cycle_length = 4;
  std::uint64_t block_length = 1;
};

namespace detail {
template <class F, class In> using made_by = std::remove_cvref_t<std::invoke_result_t<const F&, In>>;
template <class F, class In>
concept makes_stream = std::invocable<const F&, In> && pipeline<made_by<F, In>> && !persists_in<made_by<F, In>>;

/// The streams of different elements would share one folder.
template <class P, bool ok> consteval void shares_a_folder() {
  static_assert(
      ok,
      "plumbline: a stream that interleave or flat_map opens contains cache(folder) or cache(servers), "
      "which would mix the elements of all such streams in one place; put it after the interleave or flat_map");
}

/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void interleave_wanted_and_given() {
  static_assert(
      ok,
      "plumbline: interleave(f) cannot call f with this stream's element, see Wanted and Given in this message; "
      "change f's parameter, or convert with a map before it");
}
template <class Returned, bool ok> consteval void interleave_function_returns() {
  static_assert(
      ok,
      "plumbline: interleave(f): f must make a stream of each element, see Returned in this message; return a "
      "source, for example range(n) or elements(v)");
}
/// The facts of many streams taken together.
constexpr stream_facts nested_facts(stream_facts in, stream_facts inner) {
  stream_facts out = in;
  out.indexed = false;
  if (!in.count.endless && !inner.count.endless)
    out.count = times(in.count, inner.count);
  else if (in.count.most == 0)
    out.count = cardinality::exactly(0);
  else  // unless there may be no stream at all, or all may be empty
    out.count = in.count.least > 0 && inner.count.least > 0 ? cardinality::forever() : cardinality::unknown();
  if (inner.order == ordering::permuted) out.order = inner.order;
  if (inner.draws == randomness::seeded) out.draws = inner.draws;
  out.blocking = in.blocking || inner.blocking;
  return out;
}
}  // namespace detail

/// flat_map into streams is an interleave with a cycle of one.
template <class F, class In, bool Flat = false> struct interleave_op : op_base, has_given_name {
  static constexpr std::string_view name = Flat ? "flat_map" : "interleave";
  template <class> using nested = detail::made_by<F, In>;
  using inner = nested<In>;
  template <class> using output = typename inner::element;

  [[no_unique_address]] F f;
  interleave_options how;
  constexpr auto parameters() const { return std::tuple(how.cycle_length, how.block_length); }

  /// Uses the facts of the inner streams' type: their run-time sizes are not known before they are made.
  static constexpr stream_facts rule(stream_facts in) { return detail::nested_facts(in, inner::type_facts); }
  std::uint64_t streams_open() const { return how.cycle_length; }
  std::uint64_t streams_ahead() const { return std::min<std::uint64_t>(how.cycle_length, 4); }

  template <class Slot, class Up> using nested_cursor = detail::interleave_cursor<interleave_op, Slot, Up>;
};

/// interleave before its upstream is known.
template <class F> struct interleave_of : op_base, nameable<interleave_of<F>> {
  static constexpr std::string_view name = "interleave";
  [[no_unique_address]] F f;
  interleave_options how;
  constexpr auto parameters() const { return std::tuple(how.cycle_length, how.block_length); }

  template <class Up> static constexpr bool accepts = detail::makes_stream<F, typename Up::element>;
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, In>) {
      using made = detail::made_by<F, In>;
      if constexpr (detail::persists_in<made>)
        detail::shares_a_folder<made, ok>();
      else if constexpr (!rejected<made>)  // else the mistake is within f, and was reported there
        detail::interleave_function_returns<made, ok>();
    } else if constexpr (std::invocable<F&, In>) {
      static_assert(
          ok,
          "plumbline: interleave(f) calls f again in every epoch, and f changes itself when called (a mutable "
          "lambda?); keep no state in f");
    } else {
      detail::interleave_wanted_and_given<detail::wanted_by<F>, In, ok>();
    }
  }
  template <class Up> constexpr auto resolve() && {
    return interleave_op<F, typename Up::element>{{}, {this->given}, std::move(f), how};
  }
};

template <class F> constexpr auto interleave(F f, interleave_options how = {}) {
  if (how.cycle_length > 4096)
    throw std::invalid_argument("plumbline: interleave would hold " + std::to_string(how.cycle_length) +
                                " streams open at once, and 4 more; give a cycle_length of at most 4096");
  if (how.cycle_length == 0 || how.block_length == 0)
    throw std::invalid_argument(
        "plumbline: interleave has a cycle_length or block_length of 0 and would never advance; give at least 1");
  return interleave_of<F>{{}, {}, std::move(f), how};
}

}  // namespace plumbline
