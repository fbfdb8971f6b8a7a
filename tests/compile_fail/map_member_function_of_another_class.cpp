// error: (Wanted = label; Given = std::.*string|map_wanted_and_given<label, std::.*string)
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

struct label {
  int value;
  int number() const { return value; }
};
const std::vector<std::string> words{"a", "bc"};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(words) | pl::map(&label::number);
#else
auto p = pl::elements(words) | pl::map(&std::string::size);
#endif
