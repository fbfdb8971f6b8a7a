// error: (Wanted = .*see_its_declaration; Given = std::.*string|map_wanted_and_given<plumbline::detail::see_its_declaration, std::.*string)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

struct twice {
  int operator()(int x) const { return 2 * x; }
  std::size_t operator()(std::size_t x) const { return 2 * x; }
};
const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map(twice{});
#else
auto p = pl::elements(words) | pl::map(&std::string::size) | pl::map(twice{});
#endif
