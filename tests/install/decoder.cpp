// A user's program of two files that decode pictures.
#include <plumbline/plumbline.hpp>

#include <iostream>

namespace pl = plumbline;

pl::image decoded_elsewhere(const pl::byte_tensor& file);

int main() {
  const std::vector<std::uint8_t> square(3 * 5 * 3, 77);
  pl::image picture(3, 5, 3);
  std::copy(square.begin(), square.end(), picture.data());
  const pl::byte_tensor file = pl::encode_png(picture);
  for (const pl::image& read : {pl::decode()(file), decoded_elsewhere(file)}) {
    if (read.height() != 3 || read.width() != 5 || !std::equal(square.begin(), square.end(), read.data())) return 1;
  }
  std::cout << "decoded\n";
  return 0;
}
