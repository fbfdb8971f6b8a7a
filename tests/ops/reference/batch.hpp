#pragma once
// The reference implementation of batch (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::batch(q(1, 9)) | pl::map(total)
// chain: | pl::batch<4>(pl::drop_remainder) | pl::map(total)
// chain: | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths); ends numbers

#include <plumbline/ops/batch.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

constexpr pl::remainder rest_of(const auto& r) {
  if constexpr (requires { r.value(); })
    return r.value();
  else
    return r;
}
// tf.data batch: consecutive elements; the last group of an epoch may be smaller, unless the remainder is dropped.
template <class S, auto... R, class Up>
auto pulled(const pl::node<pl::batch_op<S, R...>, Up>& p, where w) -> pull<pl::batch_of<typename Up::element>> {
  using In = typename Up::element;
  using out = item<pl::batch_of<In>>;
  return [up = pulled(p.up(), w), n = static_cast<std::size_t>(p.op.n.value()), rest = rest_of(p.op.rest),
          over = false]() mutable -> std::optional<out> {
    std::vector<item<In>> group;
    while (!over && group.size() < n) {
      if (auto x = up())
        group.push_back(std::move(*x));
      else
        over = true;
    }
    if (group.empty() || (group.size() < n && rest == pl::remainder::drop)) return std::nullopt;
    pl::collator<In> collate(group.size());
    for (std::size_t i = 0; i < group.size(); ++i) collate.put(i, std::move(group[i].value));
    return out{std::move(collate).finish(group.size()), group.front().at};
  };
}

namespace chains {
inline constexpr auto total = [](const pl::tensor<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (const auto x : b.span()) sum = sum * 3 + x;
  return sum;
};
inline constexpr auto as_text = [](std::int64_t x) {
  return std::string(static_cast<std::size_t>((x % 7 + 7) % 7), 'x');
};
inline constexpr auto lengths = [](const std::vector<std::string>& b) {
  std::vector<std::int64_t> out;
  for (const auto& s : b) out.push_back(static_cast<std::int64_t>(s.size()));
  return out;
};
}  // namespace chains

}  // namespace plumbline_test
