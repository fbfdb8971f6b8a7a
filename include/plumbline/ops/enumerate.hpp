#pragma once
/// enumerate(): every element with its place in this stream, from 0, as a pair.

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct enumerate_op : op_base {
  static constexpr std::string_view name = "enumerate";

  /// The numbers belong to places: after a shuffle of indexed elements below, number 0 is another element every epoch.
  static constexpr stream_facts rule(stream_facts in) {
    in.indexed = in.indexed && !in.blocking;
    return in;
  }

  template <class In>
  constexpr std::pair<std::uint64_t, In> transform(const position_context& cx, In&& x) const
      noexcept(std::is_nothrow_move_constructible_v<In>) {
    return {cx.position, std::move(x)};
  }
};

constexpr auto enumerate() { return enumerate_op{}; }

}  // namespace plumbline
