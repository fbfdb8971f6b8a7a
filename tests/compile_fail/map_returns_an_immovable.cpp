// error: plumbline: map\(f\): f returns something that cannot be moved, and elements are passed on; hold it in unique_ptr
#include <plumbline/plumbline.hpp>

#include <memory>
#include <mutex>

namespace pl = plumbline;

struct fixed {
  explicit fixed(std::int64_t x) : number(x) {}
  std::int64_t number;
  std::mutex guard;
};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([](std::int64_t x) { return fixed(x); });
#else
auto p = pl::range(3) | pl::map([](std::int64_t x) { return std::make_unique<fixed>(x); });
#endif
