#pragma once
// The reference implementation of pack (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::map(sequence) | pl::pack(q(1, 12), {.rows = q(1, 4)}) | pl::map(packed_total); ends numbers

#include <plumbline/ops/pack.hpp>

#include <ops/reference/group_by_length.hpp>
#include <support/pulled.hpp>

namespace plumbline_test {

// First fit, as a list of rows of (value, segment, position).
template <class Up>
auto pulled(const pl::node<pl::pack_op, Up>& p, where w) -> pull<typename pl::node<pl::pack_op, Up>::element> {
  using made = typename pl::node<pl::pack_op, Up>::element;
  using T = typename decltype(made::values)::value_type;
  using row = item<std::vector<std::tuple<T, int, int>>>;
  return [up = pulled(p.up(), w), length = static_cast<std::size_t>(p.op.row_length), how = p.op.how,
          open = std::vector<row>(), full = std::vector<row>(), over = false]() mutable -> std::optional<item<made>> {
    const auto add = [&](const T* from, std::size_t n, const lineage& at) {
      std::size_t i = 0;
      while (i != open.size() && open[i].value.size() + n > length) ++i;
      if (i == open.size() && i == how.rows) {
        std::size_t fullest = 0;
        for (std::size_t k = 1; k != open.size(); ++k)
          if (open[k].value.size() > open[fullest].value.size()) fullest = k;
        full.push_back(open[fullest]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(fullest));
        i = open.size();
      }
      if (i == open.size()) open.push_back({{}, at});
      auto& values = open[i].value;
      const int segment = values.empty() ? 1 : std::get<1>(values.back()) + 1;
      for (std::size_t k = 0; k != n; ++k) values.emplace_back(from[k], segment, static_cast<int>(k));
      if (values.size() == length) {
        full.push_back(open[i]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    };
    while (full.empty() && !over) {
      auto x = up();
      over = !x;
      if (over) {
        full = std::exchange(open, {});
        break;
      }
      auto n = x->value.size();
      if (n > length && how.too_long == pl::too_long::drop) continue;
      if (n > length && how.too_long == pl::too_long::fail) throw std::runtime_error("too long");
      if (n > length && how.too_long == pl::too_long::cut) n = length;
      for (std::size_t k = 0; k < n; k += length)
        add(x->value.data() + k, std::min(length, n - k), k == 0 ? x->at : x->at.part(k));
    }
    if (full.empty()) return std::nullopt;
    const auto r = full.front();
    full.erase(full.begin());
    made out{pl::tensor<T>({length}, static_cast<T>(how.padding)), pl::tensor<std::int32_t>({length}),
             pl::tensor<std::int32_t>({length})};
    for (std::size_t i = 0; i != r.value.size(); ++i)
      std::tie(out.values.data()[i], out.segments.data()[i], out.positions.data()[i]) = r.value[i];
    return item<made>{std::move(out), r.at};
  };
}

namespace chains {
inline constexpr auto packed_total = [](const pl::packed<std::int64_t>& row) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i != row.values.size(); ++i)
    all = (all * 31 + row.values(i) + 7 * row.segments(i) + 11 * row.positions(i)) % 1'000'003;
  return all;
};
}  // namespace chains

}  // namespace plumbline_test
