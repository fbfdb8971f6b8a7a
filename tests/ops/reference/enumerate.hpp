#pragma once
// The reference implementation of enumerate (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::enumerate() | pl::map(folded)

#include <plumbline/ops/enumerate.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class Up>
auto pulled(const pl::node<pl::enumerate_op, Up>& p, where w) -> pull<std::pair<std::uint64_t, typename Up::element>> {
  using out = item<std::pair<std::uint64_t, typename Up::element>>;
  return [up = pulled(p.up(), w), n = p.op.start]() mutable -> std::optional<out> {
    auto x = up();
    if (!x) return std::nullopt;
    return out{{n++, std::move(x->value)}, x->at};
  };
}

namespace chains {
inline constexpr auto folded = [](std::pair<std::uint64_t, std::int64_t> x) {
  return static_cast<std::int64_t>(x.first) * 1000 + x.second % 1000;
};
}  // namespace chains

}  // namespace plumbline_test
