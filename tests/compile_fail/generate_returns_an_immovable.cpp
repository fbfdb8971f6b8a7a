// error: plumbline: generate\(f\): f returns something that cannot be moved, and elements are passed on; return it by value, or hold it in unique_ptr
#include <plumbline/plumbline.hpp>

#include <memory>
#include <mutex>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::generate(3, [](std::uint64_t) { return std::mutex(); });
#else
auto p = pl::generate(3, [](std::uint64_t) { return std::make_unique<std::mutex>(); });
#endif
