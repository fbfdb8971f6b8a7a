// error: plumbline: run_shared cannot lay this element in shared memory, see Element in this message
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <memory>

namespace pl = plumbline;

const auto shared = [](std::int64_t x) { return std::make_shared<std::int64_t>(x); };
#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::run_shared(pl::range(9) | pl::map(shared), {.name = "sweep"});
#else
auto s = pl::run_shared(pl::range(9), {.name = "sweep"});
#endif
