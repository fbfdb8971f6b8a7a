// error: plumbline: cache replays each element in every epoch, so it must be copyable, and this one is not; hold it in shared_ptr
#include <plumbline/plumbline.hpp>

#include <memory>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); }) | pl::cache();
#else
auto p = pl::range(9) | pl::map([](std::int64_t x) { return std::make_shared<std::int64_t>(x); }) | pl::cache();
#endif
