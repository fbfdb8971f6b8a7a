// error: plumbline: run got something that is not a pipeline; begin with a source
#include <plumbline/plumbline.hpp>

#include <string>
#include <vector>

namespace pl = plumbline;

const std::vector<std::string> words{"a", "bc"};
void use(const std::string&);

#ifdef PLUMBLINE_EXPECT_ERROR
void consume() {
  for (auto& x : pl::run(words, {.threads = 2})) use(x);
}
#else
void consume() {
  for (auto& x : pl::run(pl::elements(words), {.threads = 2})) use(x);
}
#endif
