#pragma once
/// enumerate(), enumerate(start): pairs every element with its position in this stream, counted from `start` (0).
///   elements({"a", "b"}) | enumerate(1)                // (1, "a"), (2, "b")
/// tf.data: enumerate, PyTorch: enumerate (Python), grain: map_with_index, mlx-data: -

#include <plumbline/core/chain.hpp>

namespace plumbline {

struct enumerate_op : op_base {
  static constexpr std::string_view name = "enumerate";
  std::uint64_t start;
  constexpr auto parameters() const { return std::tuple(start); }

  /// The numbers are positions in the stream: behind a shuffle, number 0 is another element in every epoch.
  static constexpr stream_facts rule(stream_facts in) {
    in.indexed = in.indexed && !in.blocking;
    return in;
  }

  template <class In>
  constexpr std::pair<std::uint64_t, In> transform(const position_context& cx, In&& x) const
      noexcept(std::is_nothrow_move_constructible_v<In>) {
    return {start + cx.position, std::move(x)};
  }
};

constexpr auto enumerate(std::uint64_t start = 0) { return enumerate_op{{}, start}; }
constexpr auto enumerate(std::signed_integral auto start) { return enumerate(detail::count_from("enumerate", start)); }
detail::uncalled enumerate(detail::uncalled);  // `| enumerate`, without parentheses, is one error

}  // namespace plumbline
