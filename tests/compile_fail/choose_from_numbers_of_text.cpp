// error: plumbline: choose_from's first stream must hold the indices of the others, see Number
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> names{"a", "b"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::choose_from(pl::elements(names), pl::range(3), pl::range(4));
#else
auto p = pl::choose_from(pl::range(2), pl::range(3), pl::range(4));
#endif
