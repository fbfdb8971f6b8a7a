#pragma once
// The reference implementation of shard (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::shard(q(2, 4), q(0, 1))
// chain: | pl::shard(q(2, 5), q(0, 1), pl::drop_remainder)
// chain: | pl::shard(q(2, 9), q(0, 1), pl::repeat_remainder)

#include <plumbline/ops/shard.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Elements index, index + count, ... of the stream, which is cut to a multiple of count, or continued from its
// beginning.
template <pl::uneven Ends, class Up>
auto pulled(const pl::node<pl::shard_op<Ends>, Up>& p, where w) -> pull<typename Up::element> {
  const auto count = p.op.count.value(), index = p.op.index.value();
  if constexpr (Ends == pl::uneven::keep) {
    return [up = pulled(p.up(), w), count, index, i = std::uint64_t{0}]() mutable {
      auto x = up();
      while (x && i++ % count != index) x = up();
      return x;
    };
  } else {
    return [up = pulled(p.up(), w), count, index, first = std::vector<item<typename Up::element>>(),
            seen = std::uint64_t{0}, over = false]() mutable -> std::optional<item<typename Up::element>> {
      while (!over) {
        std::vector<item<typename Up::element>> round;
        while (round.size() != count) {
          auto x = up();
          over = !x;
          if (over) break;
          round.push_back(std::move(*x));
        }
        if constexpr (Ends == pl::uneven::repeat)
          if (seen == 0) first = round;
        seen += round.size();
        if (over && (Ends == pl::uneven::drop || round.empty())) break;
        if constexpr (Ends == pl::uneven::repeat)
          for (std::size_t i = 0; round.size() != count; ++i) round.push_back(first[i % first.size()]);
        return std::move(round[static_cast<std::size_t>(index)]);
      }
      return std::nullopt;
    };
  }
}

}  // namespace plumbline_test
