// error: plumbline: rebatch joins batches: tensors, vectors, columns and tuples of those, and this element is none
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::rebatch(2);
#else
auto p = pl::range(9) | pl::batch(3) | pl::rebatch(2);
#endif
