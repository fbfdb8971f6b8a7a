// error: a cache with a limit or a share keeps some elements by index, and this stream is not indexed
// needs: libmemcached/memcached.h
#include <plumbline/ext/memcached.hpp>
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto odd = pl::range(9) | pl::filter([](std::int64_t x) { return x % 2 == 1; });
#ifdef PLUMBLINE_EXPECT_ERROR
auto p = odd | pl::cache(pl::servers{"node1:11211"});
#else
auto p = odd | pl::cache();
#endif
