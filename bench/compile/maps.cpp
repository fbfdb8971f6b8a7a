// Measured by compile.py: a chain of MAPS maps whose functions have different types.
#include <plumbline/plumbline.hpp>

#include <utility>

namespace pl = plumbline;

template <std::size_t I> struct plus {
  std::int64_t operator()(std::int64_t x) const { return x + static_cast<std::int64_t>(I); }
};
template <std::size_t I, class P> auto with_maps(const P& p) {
  if constexpr (I == 0)
    return p;
  else
    return with_maps<I - 1>(p | pl::map(plus<I>{}));
}

std::int64_t maps(std::int64_t n) {
  std::int64_t sum = 0;
  for (const std::int64_t x : pl::run(with_maps<MAPS>(pl::range(n)))) sum += x;
  return sum;
}
