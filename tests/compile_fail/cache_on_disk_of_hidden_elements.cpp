// error: plumbline: cache\(folder\), cache\(servers\) and cache\(shared_memory\) compare what functions and elements\(v\) hold, and this type hides it, see Hidden in this message
#include <plumbline/plumbline.hpp>

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
const auto p = pl::elements(std::vector{secret(1), secret(2)}) | pl::map([](const secret& s) { return s.shown(); }) |
               pl::cache("folder");
