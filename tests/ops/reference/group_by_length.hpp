#pragma once
// The reference implementation of group_by_length (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::map(sequence) | pl::bucket_by_length(by_count(q(1, 5), q(1, 4))) | pl::map(total); ends numbers
// chain: | pl::map(sequence) | pl::bucket_by_length({.tokens = u(q(1, 40))}, pl::pad(1)) | pl::map(total); ends numbers
// chain: | pl::map(sequence) | pl::padded_batch(u(q(1, 9)), pl::pad(-1)) | pl::map(total)
// chain: | pl::map(sequence) | pl::ragged_batch(u(q(1, 9))) | pl::map(ragged_total)

#include <plumbline/ops/bucket_by_length.hpp>
#include <plumbline/ops/padded_batch.hpp>
#include <plumbline/ops/ragged_batch.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// An element joins the open group of its bucket, which is passed on when it is full, or first if the element would make
// it too large. What is left follows by bucket.
template <class F, class Up>
auto pulled(const pl::node<pl::group_by_length_op<F>, Up>& p, where w) -> pull<std::vector<typename Up::element>> {
  using out = item<std::vector<typename Up::element>>;
  const auto& how = *p.op.how;
  return [up = pulled(p.up(), w), op = &p.op, how, open = std::vector<out>(how.boundaries.size() + 1),
          full = std::vector<out>(), over = false]() mutable -> std::optional<out> {
    const auto pass = [&](out& group) {
      full.push_back(std::move(group));
      group = {};
    };
    while (full.empty() && !over) {
      auto x = up();
      over = !x;
      if (over) {
        for (auto& group : open)
          if (!group.value.empty() && !how.drop_remainder) pass(group);
        break;
      }
      const auto length = [op](const auto& y) { return static_cast<std::uint64_t>(std::invoke(op->length, y)); };
      const auto own = length(x->value);
      std::size_t bucket = 0;
      while (bucket < how.boundaries.size() && own >= how.boundaries[bucket]) ++bucket;
      auto& group = open[bucket];
      auto longest = own;
      for (const auto& y : group.value) longest = std::max(longest, length(y));
      if (how.tokens != 0 && !group.value.empty() && longest * (group.value.size() + 1) > how.tokens) pass(group);
      if (group.value.empty()) group.at = x->at;
      group.value.push_back(std::move(x->value));
      if (!how.batch_sizes.empty() && group.value.size() == how.batch_sizes[bucket]) pass(group);
    }
    if (full.empty()) return std::nullopt;
    auto first = std::move(full.front());
    full.erase(full.begin());
    return first;
  };
}

namespace chains {
inline constexpr auto sequence = [](std::int64_t x) {
  return std::vector<std::int64_t>(static_cast<std::size_t>((x % 8 + 8) % 8), x);
};
inline pl::bucket_options by_count(std::uint64_t few, std::uint64_t more) {
  return {.boundaries = {3, 6}, .batch_sizes = {more + 1, more, few}};
}
inline constexpr auto ragged_total = [](const pl::ragged<std::int64_t>& batch) {
  std::int64_t all = static_cast<std::int64_t>(batch.size());
  for (std::size_t i = 0; i != batch.size(); ++i)
    for (const auto x : batch[i]) all = (all * 31 + x) % 1'000'003;
  return all;
};
}  // namespace chains

}  // namespace plumbline_test
