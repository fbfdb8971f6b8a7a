// error: plumbline: stats\(\) needs #include <plumbline/watch\.hpp>
#include <plumbline/plumbline.hpp>
#ifndef PLUMBLINE_EXPECT_ERROR
#include <plumbline/watch.hpp>
#endif
namespace pl = plumbline;

int main() {
  auto s = pl::run(pl::range(10));
  s.stats();
}
