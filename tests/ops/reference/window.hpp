#pragma once
// The reference implementation of window (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::window(q(1, 7)) | pl::map(folded_all); ends numbers
// chain: | pl::window(q(1, 6), {.shift = q(1, 9), .stride = q(1, 4)}) | pl::map(folded_all); ends numbers, expands
// chain: | pl::window(q(1, 6), {.shift = q(1, 4), .drop_remainder = true}) | pl::map(folded_all); ends numbers, expands

#include <plumbline/ops/window.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Window k: those of the elements k * shift + j * stride, j < n, that exist.
template <class Up>
auto pulled(const pl::node<pl::window_op, Up>& p, where w) -> pull<std::vector<typename Up::element>> {
  using T = typename Up::element;
  return [up = pulled(p.up(), w), shift = p.op.shift.value(), span = p.op.span.value(), stride = p.op.stride,
          drop = p.op.rest.value() == pl::remainder::drop, all = std::vector<item<T>>(), over = false,
          k = std::uint64_t{0}]() mutable -> std::optional<item<std::vector<T>>> {
    const auto begin = k++ * shift;
    while (!over && all.size() < begin + span) {
      auto x = up();
      over = !x;
      if (!over) all.push_back(std::move(*x));
    }
    if (begin >= all.size() || (drop && begin + span > all.size())) return std::nullopt;
    item<std::vector<T>> out{{}, all[begin].at};
    for (auto i = begin; i < std::min<std::uint64_t>(begin + span, all.size()); i += stride)
      out.value.push_back(all[i].value);
    return out;
  };
}

namespace chains {
inline constexpr auto folded_all = [](const std::vector<std::int64_t>& xs) {
  std::int64_t all = 0;
  for (const auto x : xs) all = (all * 31 + x) % 1'000'003;
  return all;
};
}  // namespace chains

}  // namespace plumbline_test
