// error: plumbline: cache\(folder\), cache\(servers\) and cache\(shared_memory\) keep elements as bytes, and this one cannot be written as bytes, see Element in this message
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

const auto shared = [](std::int64_t x) { return std::make_shared<std::int64_t>(x); };
#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map(shared) | pl::cache("folder");
#else
auto p = pl::range(9) | pl::map(shared) | pl::cache();
#endif
