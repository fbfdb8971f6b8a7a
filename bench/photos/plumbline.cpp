// The library: the pipeline as its user writes it.
#include <plumbline/plumbline.hpp>

#include "photos/question.hpp"

namespace photos {
namespace {

template <class Decode>
delivered run(const pl::file_list& list, std::size_t threads, std::size_t epochs, Decode decode) {
  auto stream = pl::run(pl::files(list) | pl::shuffle(2026) | pl::read_file() |
                            pl::map([decode](const pl::file_contents& f) { return decode(f.data); }) | pl::map(crop) |
                            pl::map(flip) | pl::map(normalize) | pl::map(planar) | pl::batch<batch_size>(),
                        {.threads = threads});
  delivered d;
  for (std::size_t e = 0; e < epochs; ++e) {
    for (const auto& batch : stream) {
      d.looked += look_at(batch.data(), batch.shape()[0]);
      d.photos += batch.shape()[0];
      ++d.batches;
    }
  }
  return d;
}

}  // namespace

contender plumbline_runs(bool stb) {
  if (stb) return [](const auto& list, auto threads, auto epochs) { return run(list, threads, epochs, stb_decoder()); };
  return [](const auto& list, auto threads, auto epochs) { return run(list, threads, epochs, usual_decoder()); };
}

}  // namespace photos
