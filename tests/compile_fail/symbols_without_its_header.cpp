// error: plumbline: run<tracing::symbols> needs #include <plumbline/symbols.hpp>
#include <plumbline/plumbline.hpp>
#ifdef PLUMBLINE_EXPECT_ERROR
auto s = plumbline::run<plumbline::tracing::symbols>(plumbline::range(10));
#else
#include <plumbline/symbols.hpp>
auto s = plumbline::run<plumbline::tracing::symbols>(plumbline::range(10));
#endif
