#pragma once
// The reference implementation of rebatch (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::batch(q(1, 9)) | pl::rebatch(q(1, 9)) | pl::map(total); ends numbers
// chain: | pl::group(q(1, 9)) | pl::rebatch(q(1, 9), pl::remainder::drop) | pl::map(folded_all); ends numbers

#include <plumbline/ops/rebatch.hpp>

#include <ops/reference/window.hpp>
#include <support/pulled.hpp>

namespace plumbline_test {

// Rows one by one, then n of them.
template <class Up> auto pulled(const pl::node<pl::rebatch_op, Up>& p, where w) -> pull<typename Up::element> {
  using In = typename Up::element;
  return [up = pulled(p.up(), w), n = p.op.n, rest = p.op.rest, from = std::optional<item<In>>(),
          done = std::size_t{0}]() mutable -> std::optional<item<In>> {
    pl::detail::row_buffer<In> out(static_cast<std::size_t>(n));
    lineage first{};
    std::size_t filled = 0;
    while (filled != n) {
      if (!from || done == pl::detail::rows_of<In>::count(from->value)) {
        from = up();
        done = 0;
        if (!from) break;
        continue;
      }
      if (filled == 0) first = done == 0 ? from->at : from->at.part(done);
      out.put(filled++, from->value, done++, 1);
    }
    if (filled == 0 || (filled != n && rest == pl::remainder::drop)) return std::nullopt;
    return item<In>{out.finish(filled), first};
  };
}

}  // namespace plumbline_test
