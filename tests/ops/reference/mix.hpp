#pragma once
// The reference implementation of choose_from and mix (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: pl::choose_from(turns(q(1, 50)), $, $); ends numbers, outermost
// chain: pl::choose_from<to_last>(turns(q(4, 90)) | pl::repeat(), $, $); ends numbers, expands, outermost
// chain: pl::mix({.weights = {1, 2}, .seed = u(q(0, 9))}, $, $); ends numbers, expands, outermost, random
// chain: pl::mix({.stop = pl::ending::last}, $, $); ends numbers, expands, outermost, random

#include <plumbline/ops/mix.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// The streams, each in its place within the pipeline. `first`: the index of the first one in p.ups.
template <std::size_t First, class T, class P> std::vector<pull<T>> several(const P& p, where w) {
  std::vector<pull<T>> all;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto add = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      const auto& up = pl::detail::at<K>(p.ups);
      if constexpr (K >= First) all.push_back(pulled(up, w));
      w.operators += op_counts<std::remove_cvref_t<decltype(up)>>::operators;
      w.sources += op_counts<std::remove_cvref_t<decltype(up)>>::sources;
    };
    (add(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<decltype(p.ups)::size>{});
  return all;
}
// `choose(open)`: the index of the next stream, among those that are open; nothing: the end.
template <class T, class Choose> pull<T> chosen(std::vector<pull<T>> from, bool to_last, Choose choose) {
  std::vector<bool> all_open(from.size(), true);
  return [from = std::move(from), to_last, choose = std::move(choose), open = std::move(all_open),
          over = false]() mutable -> std::optional<item<T>> {
    while (!over) {
      const std::optional<std::size_t> which = choose(open);
      if (!which) break;
      if (!open[*which]) continue;
      if (auto x = from[*which]()) return x;
      open[*which] = false;
      over = !to_last || std::count(open.begin(), open.end(), true) == 0;
    }
    over = true;
    return std::nullopt;
  };
}

template <pl::ending Stop, class C, class A, class... B>
auto pulled(const pl::node<pl::choose_from_op<Stop>, C, A, B...>& p, where w) -> pull<typename A::element> {
  return chosen<typename A::element>(
      several<1, typename A::element>(p, w), Stop == pl::ending::last,
      [choices = pulled(pl::detail::at<0>(p.ups), w)](const auto&) -> std::optional<std::size_t> {
        auto x = choices();
        if (!x) return std::nullopt;
        return static_cast<std::size_t>(x->value);
      });
}
// The draw at a position is the same however often it is made: one more stream that has ended, then another.
template <class A, class... B>
auto pulled(const pl::node<pl::mix_op, A, B...>& p, where w) -> pull<typename A::element> {
  using T = typename A::element;
  auto up = several<0, T>(p, w);
  auto position = std::make_shared<std::uint64_t>(0);
  auto own = chosen<T>(std::move(up), p.op.how.stop == pl::ending::last,
                       [how = p.op.how, w, position](const std::vector<bool>& open) -> std::optional<std::size_t> {
                         const auto weight = [&](std::size_t i) {
                           return !open[i] ? 0.0 : how.weights.empty() ? 1.0 : how.weights[i];
                         };
                         double all = 0, sum = 0;
                         for (std::size_t i = 0; i != open.size(); ++i) all += weight(i);
                         if (all == 0) return std::nullopt;
                         const double drawn = pl::rng(pl::hash_combine(how.seed, w.epoch), *position).uniform() * all;
                         for (std::size_t i = 0; i != open.size(); ++i)
                           if (weight(i) > 0 && drawn < (sum += weight(i))) return i;
                         return std::nullopt;
                       });
  return [own = std::move(own), position] {
    auto x = own();
    ++*position;
    return x;
  };
}

namespace chains {
inline constexpr auto to_last = pl::ending::last;
inline auto turns(std::int64_t n) {
  std::vector<int> which(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i != which.size(); ++i) which[i] = static_cast<int>(i * 7 / 3 % 2);
  return pl::elements(std::move(which));
}
}  // namespace chains

}  // namespace plumbline_test
