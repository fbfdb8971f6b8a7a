// error: plumbline: zip got an argument that is not a stream; begin it with a source
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range(2), words);
#else
auto p = pl::zip(pl::range(2), pl::elements(words));
#endif
