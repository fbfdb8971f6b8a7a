// error: plumbline: an operator holds no elements; put it behind a source and run that: for \(auto& x : run\(elements\(v\) \| op\)\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

void use(const pl::tensor<std::int64_t>&);

const auto pairs = pl::take(4) | pl::batch<2>();

void consume() {
#ifdef PLUMBLINE_EXPECT_ERROR
  for (auto& b : pairs) use(b);
#else
  for (auto& b : pl::run(pl::range(9) | pairs)) use(b);
#endif
}
