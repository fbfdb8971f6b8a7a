// error: plumbline: run_live<tracing::\.\.\.>\(p\) counts as it needs and keeps no events; for a timeline, use run<
#include <plumbline/live.hpp>
#include <plumbline/plumbline.hpp>
namespace pl = plumbline;

int main() {
#ifdef PLUMBLINE_EXPECT_ERROR
  pl::run_live<pl::tracing::timeline>(pl::range(10));
#else
  for (const auto n : pl::run_live(pl::range(10))) static_cast<void>(n);
#endif
}
