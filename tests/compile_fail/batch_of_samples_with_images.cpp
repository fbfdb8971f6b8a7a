// error: plumbline: batch cannot hold images of different sizes, .*; make them equal
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

template <class Picture> struct sample {
  Picture picture;
  int label;
};

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::map([](std::int64_t n) {
           return sample<pl::image>{pl::image(4, 4, 3), int(n)};
         }) |
         pl::batch<3>();
#else
auto p = pl::range(9) | pl::map([](std::int64_t n) {
           return sample<pl::fixed_image<4, 4>>{{}, int(n)};
         }) |
         pl::batch<3>();
#endif
