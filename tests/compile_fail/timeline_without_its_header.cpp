// error: plumbline: run<tracing::timeline> needs #include <plumbline/timeline\.hpp>
#include <plumbline/plumbline.hpp>
#ifndef PLUMBLINE_EXPECT_ERROR
#include <plumbline/timeline.hpp>
#endif
namespace pl = plumbline;

int main() {
  for (const auto n : pl::run<pl::tracing::timeline>(pl::range(10))) static_cast<void>(n);
}
