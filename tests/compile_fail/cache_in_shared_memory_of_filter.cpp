// error: a cache with a limit or a share keeps some elements by index, and this stream is not indexed
#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto odd = pl::range(9) | pl::filter([](std::int64_t x) { return x % 2 == 1; });
#ifdef PLUMBLINE_EXPECT_ERROR
auto p = odd | pl::cache(pl::shared_memory("numbers"), pl::bytes(1000));
#else
auto p = odd | pl::cache();
#endif
