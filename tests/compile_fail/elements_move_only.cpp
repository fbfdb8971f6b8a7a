// error: plumbline: elements\(v\) gives each element again every epoch, so it must be copyable, and this one is not; hold it in shared_ptr
#include <plumbline/plumbline.hpp>

#include <memory>
#include <vector>

namespace pl = plumbline;

void use(const std::shared_ptr<int>&);

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::elements(std::vector<std::unique_ptr<int>>(3)) | pl::take(2);
void consume() {
  for (auto& x : pl::run(p)) use(x);
}
#else
auto p = pl::elements(std::vector<std::shared_ptr<int>>(3)) | pl::take(2);
void consume() {
  for (auto& x : pl::run(p)) use(x);
}
#endif
