#pragma once
/// pick_best(p, q, ...): several pipelines that make the same kind of elements, each optimised; the one that ran
/// fastest is kept.
///   auto best = pl::pick_best(decode_then_crop, decode_only_the_crop);

#include <plumbline/tune/optimize.hpp>

namespace plumbline {

/// A stream of the fastest one's elements; the others are gone before it begins. The time is shared among them.
template <std::size_t Places = 3, pipeline First, pipeline... More>
auto pick_best(const optimize_options& options, First first, More... more) {
  using T = typename First::element;
  static_assert(
      (std::same_as<T, typename More::element> && ...),
      "plumbline: pick_best(p, q) chooses between pipelines that make the same type of element, and these make "
      "different ones; convert with a map at the end");
  auto each = options;
  each.seconds /= 1 + sizeof...(More);
  std::optional<tuned<T>> best;
  const auto consider = [&](const auto& p) {
    auto t = optimize<Places>(p, each);  // not begun: nothing of it runs
    if (!best || t.why().rate() > best->why().rate()) best.emplace(std::move(t));
  };
  consider(first);
  (consider(more), ...);
  return std::move(*best);
}
template <std::size_t Places = 3, pipeline First, pipeline... More> auto pick_best(First first, More... more) {
  return pick_best<Places>(optimize_options{}, std::move(first), std::move(more)...);
}

}  // namespace plumbline
