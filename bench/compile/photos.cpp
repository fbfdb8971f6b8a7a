// Measured by compile.py: the pipeline of the demo (examples/photos.cpp); run, or optimized if OPTIMIZED is defined.
#include <plumbline/plumbline.hpp>
#ifdef OPTIMIZED
#include <plumbline/tune.hpp>
#endif

namespace pl = plumbline;

constexpr std::array mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};

auto decode_labelled(const pl::file_contents& f) { return std::pair(pl::decode()(f), pl::folder_name(f.path)); }

std::size_t photos(const std::string& folder) {
  const auto train = pl::files(folder + "/**/*.{jpg,jpeg,png,bmp}", {.ignore_case = true}) | pl::shuffle(2026) |
                     pl::read_file() | pl::map(decode_labelled) |
                     pl::map(pl::on_first(pl::random_resized_crop<224, 224>())) |
                     pl::map(pl::on_first(pl::random_flip())) | pl::map(pl::on_first(pl::normalize(mean, deviation))) |
                     pl::map(pl::on_first(pl::to_planar())) | pl::batch<32>();
  std::size_t seen = 0;
#ifdef OPTIMIZED
  for (const auto& [pixels, labels] : pl::optimize(train)) seen += labels.size();
#else
  for (const auto& [pixels, labels] : pl::run(train)) seen += labels.size();
#endif
  return seen;
}
