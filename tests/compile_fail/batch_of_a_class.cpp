// error: plumbline: batch cannot put this element into columns, see Element in this message; map it to numbers
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

class account {
 public:
  explicit account(std::int64_t x) : balance_(x) {}
  std::int64_t balance() const { return balance_; }

 private:
  std::int64_t balance_;
};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t x) { return account(x); }) | pl::batch<3>();
#else
auto p =
    pl::range(9) | pl::map([](std::int64_t x) { return account(x); }) | pl::map(&account::balance) | pl::batch<3>();
#endif
