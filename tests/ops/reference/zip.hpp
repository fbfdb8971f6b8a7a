#pragma once
// The reference implementation of zip (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: pl::zip($, $) | pl::map(both); expands, outermost

#include <plumbline/ops/zip.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// One element of each stream, requested from left to right, with the lineage of the first. Ends when any of them ends.
template <class... P>
auto pulled(const pl::node<pl::zip_op, P...>& p, where w) -> pull<std::tuple<typename P::element...>> {
  using T = std::tuple<typename P::element...>;
  auto sides = p.ups.apply([&](const auto&... up) {
    const auto one = [&](const auto& u) {
      auto made = pulled(u, w);
      w.operators += op_counts<std::remove_cvref_t<decltype(u)>>::operators;
      w.sources += op_counts<std::remove_cvref_t<decltype(u)>>::sources;
      return made;
    };
    return std::tuple<pull<typename P::element>...>{one(up)...};
  });
  return [sides = std::move(sides), over = false]() mutable -> std::optional<item<T>> {
    std::tuple<std::optional<item<typename P::element>>...> got;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((over = over || !(std::get<I>(got) = std::get<I>(sides)())), ...);
    }
    (std::index_sequence_for<P...>{});
    if (over) return std::nullopt;
    const lineage at = std::get<0>(got)->at;
    return std::apply([&](auto&... x) { return item<T>{T(std::move(x->value)...), at}; }, got);
  };
}

namespace chains {
inline constexpr auto both = [](std::tuple<std::int64_t, std::int64_t> x) {
  return std::get<0>(x) * 31 + std::get<1>(x);
};
}  // namespace chains

}  // namespace plumbline_test
