// The main job: a folder of labelled photographs becomes training batches.
//   photos DIR [--json FILE] [--sheet FILE.png] [--threads N] [--epochs N]
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr std::array imagenet_mean{0.485F, 0.456F, 0.406F}, imagenet_deviation{0.229F, 0.224F, 0.225F};

/// photos/desert/dune.jpg is labelled "desert".
std::string label_of(const std::string& path) { return std::filesystem::path(path).parent_path().filename().string(); }

auto decode_labelled(const pl::file_contents& f) { return std::pair(pl::decode()(f.data), label_of(f.path)); }

/// The pipeline: checked when this compiles, described by explain, run below.
auto training_photos(const std::string& folder) {
  return pl::files(folder + "/**/*.{jpg,jpeg,png,bmp}", {.ignore_case = true})  // finite, indexed
         | pl::shuffle(2026)                                                    // a new exact permutation every epoch
         | pl::read_file()                                                      // on I/O threads
         | pl::map(decode_labelled)                                             // in parallel, order kept
         | pl::map(pl::on_first(pl::random_resized_crop<224, 224>()))           // its draws belong to the photo
         | pl::map(pl::on_first(pl::random_flip()))                             //
         | pl::map(pl::on_first(pl::normalize(imagenet_mean, imagenet_deviation)))  // bytes to floats
         | pl::map(pl::on_first(pl::to_planar()))                                   //
         | pl::batch<32>();  // slots filled where the photos are made
}
using pipeline = decltype(training_photos(""));
static_assert(pl::facts_of<pipeline>.draws == pl::randomness::seeded);
static_assert(pl::facts_of<pipeline>.order == pl::ordering::permuted);
using batch = pipeline::element;  // (float tensor [n, 3, 224, 224], n labels)

/// The same work in a plain loop: what one would write without a library.
std::size_t plain_loop(const pl::file_list& photos) {
  std::size_t done = 0;
  std::optional<pl::tensor<float>> out;
  for (std::size_t i = 0; i < photos.size(); ++i) {
    pl::rng random(i);
    auto crop = pl::random_resized_crop<224, 224>()(pl::decode()(pl::read_bytes(photos[i].path)), random);
    auto planar =
        pl::to_planar()(pl::normalize(imagenet_mean, imagenet_deviation)(pl::random_flip()(std::move(crop), random)));
    if (!out) out = pl::tensor<float>::uninitialized({32, 3, 224, 224});
    std::copy_n(planar.data(), planar.size(), out->data() + (i % 32) * planar.size());
    ++done;
  }
  return done;
}

/// The photos of a batch as one picture, eight to a row.
pl::image contact_sheet(const pl::tensor<float>& photos) {
  const std::size_t n = photos.shape()[0], side = 224, across = std::min<std::size_t>(n, 8),
                    down = (n + across - 1) / across;
  auto sheet = pl::image(pl::tensor<std::uint8_t>({down * side, across * side, 3}));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) {
          const float value =
              photos.data()[((i * 3 + c) * side + y) * side + x] * imagenet_deviation[c] + imagenet_mean[c];
          sheet.data()[((i / across * side + y) * across * side + i % across * side + x) * 3 + c] =
              static_cast<std::uint8_t>(std::clamp(value * 255.0F + 0.5F, 0.0F, 255.0F));
        }
  return sheet;
}

template <class F> double seconds(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char** argv) try {
  std::string folder, json, sheet = "photos.png";
  std::size_t threads = pl::machine::here().cores, epochs = 5;
  CLI::App app("Labelled photographs to training batches, with plumbline.");
  app.add_option("folder", folder, "one subfolder per label")->required()->check(CLI::ExistingDirectory);
  app.add_option("--json", json, "write the figures to this file");
  app.add_option("--sheet", sheet, "contact sheet of the first batch")->capture_default_str();
  app.add_option("--threads", threads, "compute threads")->capture_default_str()->check(CLI::Range(0, 1024));
  app.add_option("--epochs", epochs, "epochs to measure")->capture_default_str()->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);

  const auto train = training_photos(folder);
  const std::size_t photos = train.facts().count.least;  // batches; see below for photos
  std::cout << pl::explain(train) << '\n';

  const pl::file_list list(folder + "/**/*.{jpg,jpeg,png,bmp}", {.ignore_case = true});
  const bool terminal = isatty(STDERR_FILENO) != 0;
  auto stream = pl::run(train, {.threads = threads});
  std::size_t seen = 0;
  const auto epoch = [&](std::size_t number) {
    for (auto& [pixels, labels] : stream) {
      seen += labels.size();
      if (seen == labels.size()) pl::write_png(sheet, contact_sheet(pixels));
      if (terminal)
        std::cerr << "\repoch " << number << ": " << seen % list.size() << " of " << list.size() << " photos "
                  << std::flush;
    }
  };
  epoch(0);  // warms the page cache for both
  std::vector<double> ours, plain;
  for (std::size_t e = 1; e <= epochs; ++e) {  // in turn: the machine's speed drifts
    ours.push_back(seconds([&] { epoch(e); }));
    plain.push_back(seconds([&] { plain_loop(list); }));
  }
  if (terminal) std::cerr << "\r\033[K";
  const auto median_rate = [&](std::vector<double> s) {
    std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
    return static_cast<double>(list.size()) / s[s.size() / 2];
  };
  const double a = median_rate(ours), b = median_rate(plain);
  std::cout << std::fixed << std::setprecision(0) << list.size() << " photos, " << photos << " batches an epoch, "
            << threads << " threads, median of " << epochs << " epochs:\n  plumbline           " << a
            << " photos/s\n  plain loop, 1 thread " << b << " photos/s\n  ratio               " << std::setprecision(2)
            << a / b << "\nThe first batch: " << sheet << '\n';
  if (!json.empty()) {
    std::ofstream(json) << nlohmann::json{{"photos", list.size()}, {"threads", threads},           {"epochs", epochs},
                                          {"photos_per_s", a},     {"plain_loop_photos_per_s", b}, {"ratio", a / b},
                                          {"contact_sheet", sheet}}
                               .dump(2)
                        << '\n';
  }
} catch (const std::exception& e) {
  std::cerr << '\n' << e.what() << '\n';
  return 1;
}
