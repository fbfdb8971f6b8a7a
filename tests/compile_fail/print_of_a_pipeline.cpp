// error: a pipeline holds no elements to print; print explain\(p\)
#include <plumbline/plumbline.hpp>

#include <iostream>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
void print() { std::cout << (pl::range(3) | pl::batch(2)); }
#else
void print() { std::cout << pl::explain(pl::range(3) | pl::batch(2)); }
#endif
