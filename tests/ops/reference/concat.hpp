#pragma once
// The reference implementation of concat (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: pl::concat($, $); expands, outermost

#include <plumbline/ops/concat.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class A, class... B>
auto pulled(const pl::node<pl::concat_op, A, B...>& p, where w) -> pull<typename A::element> {
  std::vector<pull<typename A::element>> parts;
  p.ups.apply([&](const auto&... up) {
    ((parts.push_back(pulled(up, w)), w.operators += op_counts<std::remove_cvref_t<decltype(up)>>::operators,
      w.sources += op_counts<std::remove_cvref_t<decltype(up)>>::sources),
     ...);
  });
  return [parts = std::move(parts), i = std::size_t{0}]() mutable -> std::optional<item<typename A::element>> {
    for (; i != parts.size(); ++i)
      if (auto x = parts[i]()) return x;
    return std::nullopt;
  };
}

}  // namespace plumbline_test
