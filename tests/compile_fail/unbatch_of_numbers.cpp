// error: plumbline: unbatch splits batches: tensors, vectors, columns and tuples of those, and this element is none
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::unbatch();
#else
auto p = pl::range(9) | pl::batch(2) | pl::unbatch();
#endif
