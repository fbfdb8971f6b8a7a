// error: plumbline: a pipeline is a definition and holds no elements; run it: for \(auto& x : run\(p\)\)
#include <plumbline/plumbline.hpp>

#include <iostream>

namespace pl = plumbline;

int main() {
  const auto p = pl::range(9) | pl::batch<3>();
#ifdef PLUMBLINE_EXPECT_ERROR
  for (const auto& batch : p) {
    std::cout << batch.size() << ':';
    for (const auto x : batch.span()) std::cout << x + 1 << ' ';
  }
#else
  for (const auto& batch : pl::run(p)) {
    std::cout << batch.size() << ':';
    for (const auto x : batch.span()) std::cout << x + 1 << ' ';
  }
#endif
}
