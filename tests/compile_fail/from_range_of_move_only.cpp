// error: plumbline: from_range\(r\) copies each element out of r, and this one cannot be copied; hold it in shared_ptr
#include <plumbline/plumbline.hpp>

#include <list>
#include <memory>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::from_range(std::list<std::unique_ptr<int>>()) | pl::map([](std::unique_ptr<int> x) { return *x; });
#else
auto p = pl::from_range(std::list<std::shared_ptr<int>>()) | pl::map([](std::shared_ptr<int> x) { return *x; });
#endif
