// bench_shares: plans with caches that keep a share of the elements (shares/sweep.hpp), on six pipelines; what caches
// that keep nothing cost where elements are small; and what a hit costs in memory, in shared memory and on disk.
#include <plumbline/image.hpp>
#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <Eigen/Dense>
#include <unsupported/Eigen/FFT>

#include "shares/sweep.hpp"
#include "support/inputs.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;

/// What the caches of the form with shares cost if none keeps anything, against the pipeline as written.
void measure_empty(bench::report& report, const bench::sweep& over) {
  const auto p = pl::range(2'000'000) | pl::map([](std::int64_t x) { return x + 1; }) |
                 pl::map([](std::int64_t x) { return 3 * x; }) | pl::batch<256>();
  using forms = pl::detail::forms<3, std::remove_const_t<decltype(p)>>;
  pl::plan as_written{.pipeline = pl::signature_of(pl::layout(p)), .threads = pl::machine::cores_here()};
  auto empty = as_written;
  empty.caches = forms::share_sites();
  empty.shares.assign(empty.caches.size(), pl::share(0, 0));
  bench::series without, with;
  for (int round = 0; round != 3 * over.rounds; ++round) {
    without.rounds.push_back(1e9 / 256 / bench::filled_rate(pl::run(p, as_written), over.seconds));
    with.rounds.push_back(1e9 / 256 / bench::filled_rate(pl::run(p, empty), over.seconds));
  }
  report.table("numbers, nothing is kept: an element", "ns", 2,
               {{"as written", without}, {std::to_string(empty.caches.size()) + " caches of no share", with}});
}

/// What an element costs that is read back from a cache on disk, if the page cache has it, against one in memory.
void measure_replay(bench::report& report, const bench::sweep& over) {
  const fs::path folder = fs::temp_directory_path() / ("bench_shares-" + std::to_string(::getpid()));
  for (const auto& [size, count] : {std::pair{100, 20'000}, {10'000, 4000}, {200'000, 300}}) {
    const auto made = pl::range(count) | pl::map([bytes = static_cast<std::size_t>(size)](std::int64_t x) {
                        return std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(x));
                      });
    bench::series memory, shared, disk;
    for (int round = 0; round != over.rounds; ++round) {
      memory.rounds.push_back(
          1e6 / bench::filled_rate(pl::run(made | pl::cache(pl::share(1)), {.threads = 0}), over.seconds));
      const pl::shared_memory name("bench_shares " + std::to_string(::getpid()));
      const pl::bytes room(2 * size * count + (1 << 20));
      shared.rounds.push_back(1e6 /
                              bench::filled_rate(pl::run(made | pl::cache(name, room), {.threads = 0}), over.seconds));
      const auto at = (folder / std::to_string(size)).string();
      disk.rounds.push_back(
          1e6 / bench::filled_rate(pl::run(made | pl::cache(at, pl::share(1)), {.threads = 0}), over.seconds));
    }
    report.table("an element of " + std::to_string(size) + " bytes", "us", 2,
                 {{"in memory", memory}, {"in shared memory", shared}, {"on disk", disk}});
  }
  fs::remove_all(folder);
}

struct working {
  int rounds;
  std::int64_t operator()(std::int64_t x) const {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != rounds; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  }
};

/// The samples of a WAV file of 16 bits and one channel, from -1 to 1.
std::vector<float> samples_of(const pl::file_contents& f) {
  constexpr std::size_t header = 44;
  static_assert(std::endian::native == std::endian::little);
  std::vector<float> all((f.data.size() - std::min(header, f.data.size())) / 2);
  for (std::size_t i = 0; i != all.size(); ++i) {
    std::int16_t x = 0;
    std::memcpy(&x, f.data.data() + header + 2 * i, sizeof x);
    all[i] = static_cast<float>(x) / 32768;
  }
  return all;
}

constexpr std::size_t bands = 128, frames_in_window = 16;
/// The logarithms of the power in each band, for windows of 256 samples that begin every 80.
std::vector<float> spectrogram(const std::vector<float>& samples) {
  constexpr std::size_t window = 2 * bands, hop = 80;
  Eigen::FFT<float> fft;
  std::vector<float> frame(window), all;
  std::vector<std::complex<float>> spectrum;
  for (std::size_t begin = 0; begin + window <= samples.size(); begin += hop) {
    for (std::size_t i = 0; i != window; ++i) {
      const float t = static_cast<float>(i) / static_cast<float>(window - 1);
      frame[i] = samples[begin + i] * (0.5F - 0.5F * std::cos(6.2831853F * t));  // Hann
    }
    fft.fwd(spectrum, frame);
    for (std::size_t i = 0; i != bands; ++i) all.push_back(std::log(std::norm(spectrum[i]) + 1e-6F));
  }
  return all;
}
/// Some frames of it, at random; zeros behind its end.
std::array<float, bands * frames_in_window> random_window(const std::vector<float>& spectrum, pl::rng& r) {
  std::array<float, bands * frames_in_window> x{};
  const auto frames = spectrum.size() / bands;
  const auto first = frames > frames_in_window ? r.below(frames - frames_in_window + 1) : 0;
  const auto size = std::min(x.size(), spectrum.size() - first * bands);
  std::copy_n(spectrum.begin() + static_cast<std::ptrdiff_t>(first * bands), size, x.begin());
  return x;
}

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares plans with shares of caches with plans without, and with a grid of shares.");
  bench::add_options(app, o);
  std::string only;
  const std::vector<std::string> names{"photos slow", "photos",  "resized", "normalised", "text",
                                       "audio",       "numbers", "on disk", "empty",      "replay"};
  app.add_option("--only", only, "one of them: " + CLI::detail::join(names, ", "))->check(CLI::IsMember(names));
  std::vector<double> memories;
  app.add_option("--memory", memories, "in parts of what everything needs");
  CLI11_PARSE(app, argc, argv);
  bench::report report("caches that keep a share", o);
  bench::sweep over = o.quick ? bench::sweep{{0.5}, {0, 0.5, 1}, 0.5, 1}
                              : bench::sweep{{0, 0.25, 0.5, 0.75, 1, 1.2}, {0, 0.25, 0.5, 0.75, 1}, 0.5, 3};
  over.rounds = static_cast<int>(o.rounds_or(static_cast<std::size_t>(over.rounds), 1));
  if (!memories.empty()) over.memories = memories;
  const auto wanted = [&](const std::string& name) { return only.empty() || name == only; };
  if (wanted("empty")) measure_empty(report, over);
  if (wanted("replay")) measure_replay(report, over);
  const auto photos = bench::photos();
  const auto pictures = pl::files(photos) | pl::take(300) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                        pl::map(pl::random_resized_crop<96, 96>()) | pl::batch<8>();
  if (wanted("photos slow"))
    bench::measure(report, "photos, storage with 0.3 of the preparation's bandwidth", pictures, 0.3, over, 1.2);
  if (wanted("photos")) bench::measure(report, "photos, no limit on reading", pictures, 0, over);
  const auto resized = pl::files(photos) | pl::take(300) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                       pl::map(pl::resize<128, 128>()) | pl::map(pl::random_resized_crop<96, 96>()) | pl::batch<8>();
  if (wanted("resized")) bench::measure(report, "photos, resized, 0.5 of the bandwidth", resized, 0.5, over);

  // five places for caches: what they keep grows from files to decoded pictures, shrinks twice, and grows to floats
  const auto normalised = pl::files(photos) | pl::take(300) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                          pl::map(pl::resize<128, 128>()) | pl::map(pl::center_crop<112, 112>()) |
                          pl::map(pl::normalize({0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F})) |
                          pl::map(pl::random_flip()) | pl::map(pl::to_planar()) | pl::batch<8>();
  if (wanted("normalised")) bench::measure(report, "photos, normalised, 0.5 of the bandwidth", normalised, 0.5, over);

  const bench::text_files texts(10'000);
  if (wanted("on disk"))
    bench::measure_levels(report, "photos, storage with 0.3 of the preparation's bandwidth", pictures, 0.3, over,
                          texts.folder() / "caches");
  const auto text =
      pl::files(texts.pattern()) | pl::shuffle(1) | pl::read_file() | pl::map([](const pl::file_contents& f) {
        std::vector<std::int64_t> words(1, 0);
        for (const auto c : f.data.span())
          if (c == ' ')
            words.push_back(0);
          else
            words.back() =
                static_cast<std::int64_t>(pl::hash_combine(static_cast<std::uint64_t>(words.back()), c) >> 1);
        return words;
      }) |
      pl::map([](const std::vector<std::int64_t>& words, pl::rng& r) {
        std::int64_t sum = 0;
        for (int i = 0; i != 100; ++i) sum += words[r.below(words.size())];
        return sum;
      }) |
      pl::batch<8>();
  if (wanted("text")) bench::measure(report, "text, 0.3 of the bandwidth", text, 0.3, over);
  const auto recordings = bench::data_folder() + "/audio_fsdd";
  if (wanted("audio") && !fs::is_directory(recordings))
    std::cout << "\naudio: skipped, as " << recordings << " is not there" << std::endl;
  else if (wanted("audio"))
    bench::measure(report, "audio, 0.3 of the bandwidth",
                   pl::files(recordings + "/*.wav") | pl::shuffle(1) | pl::read_file() | pl::map(samples_of) |
                       pl::map(spectrogram) | pl::map(random_window) | pl::batch<8>(),
                   0.3, over);
  const auto numbers = pl::range(4000) | pl::shuffle(1) | pl::map(working{30'000}) | pl::map([](std::int64_t x) {
                         std::vector<std::int64_t> all(2000);
                         for (std::size_t i = 0; i != all.size(); ++i)
                           all[i] = working{10}(x + static_cast<std::int64_t>(i));
                         return all;
                       }) |
                       pl::map([](const std::vector<std::int64_t>& v, pl::rng& r) { return v[r.below(v.size())]; }) |
                       pl::batch<16>();
  if (wanted("numbers")) bench::measure(report, "numbers, small before large", numbers, 0, over);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
