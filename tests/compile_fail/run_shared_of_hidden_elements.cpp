// error: plumbline: run_shared compares what the jobs' functions and elements\(v\) hold, and this type hides it, see Hidden in this message
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <memory>

namespace pl = plumbline;

const auto one = [](const auto&) { return 1; };
#ifdef PLUMBLINE_EXPECT_ERROR
auto s = pl::run_shared(pl::elements(std::vector<std::shared_ptr<void>>(2)) | pl::map(one), {.name = "sweep"});
#else
auto s = pl::run_shared(pl::elements(std::vector<std::shared_ptr<int>>(2)) | pl::map(one), {.name = "sweep"});
#endif
