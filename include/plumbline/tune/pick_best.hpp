#pragma once
/// pick_best(p, q, ...): several pipelines that make the same kind of elements, each optimised; the one that ran
/// fastest is kept.
///   auto best = pl::pick_best(decode_then_crop, decode_only_the_crop);

#include <plumbline/tune/optimize.hpp>

#include <exception>

namespace plumbline {

/// A stream of the fastest one's elements; the others are gone before it begins. The time is shared among them. What
/// each came to is in why().alternatives; explain tells it. One whose own cache does not fit into the memory is not
/// taken; if that is said of all, so is it here: throws cache_too_big. Else the errors of optimize.
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
  std::vector<attempt> all;
  std::size_t taken = 0;
  std::exception_ptr refused;
  const auto consider = [&](const auto& p) {
    attempt one;
    for (const auto& row : layout(p)) one.what += (row.number == 1 ? "" : " | ") + row.name;
    try {
      auto t = optimize<Places>(p, each);  // not begun: nothing of it runs
      const auto& ran = t.why().attempts[t.why().kept];
      one = {one.what + "; " + ran.what, ran.predicted, ran.observed, ran.seconds, ran.count};
      if (!best || t.why().rate() > best->why().rate()) {
        best.emplace(std::move(t));
        taken = all.size();
      }
    } catch (const cache_too_big& e) {
      one.what += "; refused: " + std::string(e.what());
      if (!refused) refused = std::current_exception();
    }
    all.push_back(std::move(one));
  };
  consider(first);
  (consider(more), ...);
  if (!best) std::rethrow_exception(refused);
  auto why = best->why();
  why.alternatives = std::move(all);
  why.taken = taken;
  return tuned<T>(std::move(static_cast<stream<T>&>(*best)), std::move(why));
}
template <std::size_t Places = 3, pipeline First, pipeline... More> auto pick_best(First first, More... more) {
  return pick_best<Places>(optimize_options{}, std::move(first), std::move(more)...);
}

}  // namespace plumbline
