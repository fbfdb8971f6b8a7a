// error: plumbline: map\(f\) cannot call f with this stream.s element, see Wanted and Given
#include <plumbline/plumbline.hpp>

#include <memory>
#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::make_shared<std::int64_t>(x); }) | pl::padded_batch(3);
#else
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::vector<int>(static_cast<std::size_t>(x)); }) |
         pl::padded_batch(3);
#endif
