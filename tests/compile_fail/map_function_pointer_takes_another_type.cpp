// error: (Wanted = float; Given = std::.*string|map_wanted_and_given<float, std::.*string)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};
float half(float x) { return x / 2; }
float length(const std::string& s) { return static_cast<float>(s.size()); }

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map(&half);
#else
auto p = pl::elements(words) | pl::map(&length) | pl::map(&half);
#endif
