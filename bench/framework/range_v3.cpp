// range-v3: lazy views, one thread, batches made with to<vector>.
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/chunk.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip_with.hpp>

#include "framework/question.hpp"

namespace views = ranges::views;
using namespace framework;

namespace {

template <class V> std::uint64_t drain(V view) {
  std::uint64_t total = 0;
  for (auto&& group : view | views::chunk(batch_size)) {
    const auto batch = group | ranges::to<std::vector<element>>();
    total += sum(batch);
  }
  return total;
}
auto numbers() { return views::iota(element{0}, now().elements); }

const bool entered = enter({
    {task::chain, "range-v3",
     [] {
       return drain(numbers() | views::transform(add()) | views::transform(multiply()) | views::transform(flip()) |
                    views::transform(subtract()) | views::filter(keep()));
     }},
    {task::slow, "range-v3",
     [] { return drain(views::iota(element{0}, now().slow_elements) | views::transform(work)); }},
    {task::batch, "range-v3", [] { return drain(numbers()); }},
    {task::half, "range-v3", [] { return drain(numbers() | views::filter(keep_half())); }},
    {task::one_by_one, "range-v3",
     [] {
       std::uint64_t total = 0;
       for (const element x : numbers() | views::transform(add())) total += static_cast<std::uint64_t>(x);
       return total;
     }},
    {task::zip, "range-v3",
     [] { return drain(views::zip_with([](element a, element b) { return a + b; }, numbers(), numbers())); }},
});

}  // namespace
