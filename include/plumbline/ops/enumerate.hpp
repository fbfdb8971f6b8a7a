#pragma once
/// enumerate(): every element with its place in this stream, from 0, as a pair.

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct enumerate_op : op_base {
  static constexpr std::string_view name = "enumerate";
  static constexpr bool one_to_one = true, emits_once = true, uses_position = true, reads_lineage = false;

  template <class In> using output = std::pair<std::uint64_t, In>;

  /// The numbers belong to places: after a shuffle of indexed elements below, number 0 is another element every epoch.
  static constexpr stream_facts rule(stream_facts in) {
    in.indexed = in.indexed && !in.blocking;
    return in;
  }

  template <class In> void apply(const element_context& cx, In&& x, auto&& emit) const {
    emit(output<std::remove_cvref_t<In>>(cx.position, std::forward<In>(x)));
  }
};

constexpr auto enumerate() { return enumerate_op{}; }

}  // namespace plumbline
