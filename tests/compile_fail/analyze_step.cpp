// error: analyze\(p, step\) cannot call step with a batch
#include <plumbline/plumbline.hpp>
#include <plumbline/tune/analyze.hpp>

namespace pl = plumbline;

const auto p = pl::range(9) | pl::batch(3);
#ifdef PLUMBLINE_EXPECT_ERROR
auto a = pl::analyze(p, [](const std::string& batch) { (void)batch; });
#else
auto a = pl::analyze(p, [](const pl::tensor<std::int64_t>& batch) { (void)batch; });
#endif
