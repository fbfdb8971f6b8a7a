// error: evaluate makes a batch a std::vector, and an operator of this pipeline reads a batch
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto batches = pl::range(9) | pl::batch(3);
#ifdef PLUMBLINE_EXPECT_ERROR
auto sums = pl::evaluate(batches | pl::map([](const pl::tensor<std::int64_t>& x) { return x.size(); }));
#else
auto sums = pl::evaluate(batches | pl::take(2));
#endif
