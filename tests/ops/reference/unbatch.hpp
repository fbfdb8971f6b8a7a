#pragma once
// The reference implementation of unbatch (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::batch(q(1, 9)) | pl::unbatch<std::int64_t>(); ends numbers
// chain: | pl::group(q(1, 9)) | pl::unbatch(); ends numbers

#include <plumbline/ops/unbatch.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Row j of batch i is part j of element i.
template <class Row, class Up>
auto pulled(const pl::node<pl::unbatch_op<Row>, Up>& p, where w)
    -> pull<typename pl::node<pl::unbatch_op<Row>, Up>::element> {
  using In = typename Up::element;
  using T = typename pl::node<pl::unbatch_op<Row>, Up>::element;
  return
      [up = pulled(p.up(), w), held = std::vector<item<T>>(), i = std::size_t{0}]() mutable -> std::optional<item<T>> {
        while (i == held.size()) {
          auto x = up();
          if (!x) return std::nullopt;
          held.clear();
          i = 0;
          const auto n = pl::detail::rows_of<In>::count(x->value);
          auto row = pl::detail::rows_of<In>::template split<T>(std::move(x->value));
          for (std::size_t k = 0; k != n; ++k) held.push_back({row(k), x->at.part(k)});
        }
        return std::move(held[i++]);
      };
}

}  // namespace plumbline_test
