// error: plumbline: the streams to choose from have different elements, see First and Rest
#include <plumbline/plumbline.hpp>

#include <vector>

namespace pl = plumbline;

const std::vector<float> numbers{1, 2};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::mix({}, pl::range(3), pl::elements(numbers));
#else
auto p = pl::mix({}, pl::elements(numbers), pl::elements(numbers));
#endif
