// error: plumbline: run_shared compares what the jobs' functions and elements\(v\) hold, and this type hides it, see Hidden in this message
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

namespace pl = plumbline;

class secret {
 public:
  explicit secret(int x) : x_(x) {}
  int shown() const { return x_; }
#ifndef PLUMBLINE_EXPECT_ERROR
  std::uint64_t content() const { return static_cast<std::uint64_t>(x_); }
#endif

 private:
  int x_;
};
const auto shown = [](const secret& s) { return s.shown(); };
auto s = pl::run_shared(pl::elements(std::vector{secret(1), secret(2)}) | pl::map(shown), {.name = "sweep"});
