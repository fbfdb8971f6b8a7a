// error: plumbline: \| has no stream to its left; begin with a source, for example elements\(v\)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = words | pl::map(&std::string::size);
#else
auto p = pl::elements(words) | pl::map(&std::string::size);
#endif
