// The pipeline of the hardware map's measurement: photos to batches, each step an operator with a name.
//   photos_map FOLDER [EPOCHS [THREADS]]
#include <cstdio>
#include <cstdlib>
#include <plumbline/plumbline.hpp>
#include <plumbline/symbols.hpp>

namespace pl = plumbline;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  constexpr std::array mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};
  const auto photos = pl::files(std::string(argv[1]) + "/**/*.{jpg,jpeg}", {.ignore_case = true})  //
                      | pl::shuffle(2026)                                                          //
                      | pl::read_file()                                                            //
                      | pl::map(pl::decode()).named("decode")                                      //
                      | pl::map(pl::resize<224, 224>()).named("resize")                            //
                      | pl::map(pl::random_flip()).named("flip")                                   //
                      | pl::map(pl::normalize(mean, deviation)).named("normalise")                 //
                      | pl::map(pl::to_planar()).named("planar")                                   //
                      | pl::batch<8>();
  const std::size_t epochs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const std::size_t threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 2;
  auto stream = pl::run<pl::tracing::symbols>(photos, {.threads = threads});
  double sum = 0;
  std::size_t batches = 0;
  for (std::size_t e = 0; e != epochs; ++e)
    for (auto& batch : stream) {
      sum += static_cast<double>(batch.data()[0]);
      ++batches;
    }
  std::printf("%zu batches, %g\n", batches, sum);
}
