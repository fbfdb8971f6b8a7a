// The main use case: turning a folder of labelled photographs into training batches.
//   photos DIR [--json FILE] [--sheet FILE.png] [--page FILE.html] [--threads N] [--rounds N] [--epochs N]
// It measures whole epochs in alternating rounds and reports the median round of each contender: the pipeline on N
// threads, the same functions called in a plain loop on one thread, and the form of the pipeline that optimize chose.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

namespace pl = plumbline;

constexpr std::array imagenet_mean{0.485F, 0.456F, 0.406F}, imagenet_deviation{0.229F, 0.224F, 0.225F};

/// photos/desert/dune.jpg is labelled "desert".
auto decode_labelled(const pl::file_contents& f) { return std::pair(pl::decode()(f), pl::folder_name(f.path)); }

/// The pipeline: checked at compile time, described by explain, run below.
auto training_photos(const std::string& folder) {
  return pl::files(folder + "/**/*.{jpg,jpeg,png,bmp}", {.ignore_case = true})  // finite, indexed
         | pl::shuffle(2026)                                                    // a new exact permutation every epoch
         | pl::read_file()                                                      // on I/O threads
         | pl::map(decode_labelled)                                             // in parallel, order kept
         | pl::map(pl::on_first(pl::random_resized_crop<224, 224>()))           // draws keyed by the photo
         | pl::map(pl::on_first(pl::random_flip()))                             //
         | pl::map(pl::on_first(pl::normalize(imagenet_mean, imagenet_deviation)))  // bytes to floats
         | pl::map(pl::on_first(pl::to_planar()))                                   //
         | pl::batch<32>();  // each photo is written to its slot by the thread that made it
}
using pipeline = decltype(training_photos(""));
static_assert(pl::facts_of<pipeline>.draws == pl::randomness::seeded);
static_assert(pl::facts_of<pipeline>.order == pl::ordering::permuted);
using batch = pipeline::element;  // (float tensor [n, 3, 224, 224], n labels)

/// An epoch of the same work in a plain loop, as one would write it without a library or threads.
void plain_loop(const pl::file_list& photos, std::uint64_t epoch) {
  std::optional<pl::tensor<float>> pixels;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < photos.size(); ++i) {
    pl::rng random(epoch * photos.size() + i);  // different crops every epoch, as in the pipeline
    auto crop = pl::random_resized_crop<224, 224>()(pl::decode()(pl::read_bytes(photos[i].path)), random);
    auto planar =
        pl::to_planar()(pl::normalize(imagenet_mean, imagenet_deviation)(pl::random_flip()(std::move(crop), random)));
    if (i % 32 == 0) {
      pixels = pl::tensor<float>::uninitialized({32, 3, 224, 224});
      labels.clear();
    }
    std::copy_n(planar.data(), planar.size(), pixels->data() + (i % 32) * planar.size());
    labels.push_back(pl::folder_name(photos[i].path));
  }
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

/// Wall time and processor time of some work.
struct cost {
  double seconds, processor_seconds;  // processor_seconds: the sum over all threads of this process
};
template <class F> cost cost_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  const auto used = std::clock();
  f();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC};
}
/// The rounds of one contender.
struct rounds_of {
  std::vector<double> seconds;
  double processor = 0, wall = 0;
  void add(cost c) {
    seconds.push_back(c.seconds);
    processor += c.processor_seconds;
    wall += c.seconds;
  }
  double median() const {
    auto s = seconds;
    std::sort(s.begin(), s.end());
    return (s[(s.size() - 1) / 2] + s[s.size() / 2]) / 2;
  }
  double cores() const { return processor / wall; }
};

int main(int argc, char** argv) try {
  std::string folder, json, sheet = "photos.png", page = "plan.html";
  std::size_t threads = pl::machine::here().cores, rounds = 9, epochs = 0;
  CLI::App app("Turns labelled photographs into training batches with plumbline.");
  app.add_option("folder", folder, "one subfolder per label")->required()->check(CLI::ExistingDirectory);
  app.add_option("--json", json, "write the figures to this file");
  app.add_option("--sheet", sheet, "contact sheet of the first batch")->capture_default_str();
  app.add_option("--page", page, "HTML page of what optimize found")->capture_default_str();
  app.add_option("--threads", threads, "compute threads")->capture_default_str()->check(CLI::Range(0, 1024));
  app.add_option("--rounds", rounds, "rounds to measure")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--epochs", epochs, "epochs per round; 0: as many as take a quarter of a second")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  CLI11_PARSE(app, argc, argv);

  const auto train = training_photos(folder);
  std::cout << pl::explain(train) << '\n';

  const pl::file_list list(folder + "/**/*.{jpg,jpeg,png,bmp}", {.ignore_case = true});
  const bool terminal = isatty(STDERR_FILENO) != 0;
  auto stream = pl::run(train, {.threads = threads});
  std::size_t seen = 0;
  std::string progress = "first epoch";
  const auto epoch = [&] {
    for (auto& [pixels, labels] : stream) {
      seen += labels.size();
      if (seen == labels.size()) pl::write_png(sheet, contact_sheet(pixels));
      if (terminal) std::cerr << '\r' << progress << ": " << seen << " photos " << std::flush;
    }
  };
  epoch();  // reads the files into the page cache for all rounds, makes the contact sheet, starts the threads
  if (epochs == 0) {
    const double once = std::min(cost_of(epoch).seconds, cost_of(epoch).seconds);
    epochs = static_cast<std::size_t>(std::clamp(std::ceil(0.25 / once), 1.0, 1000.0));
  }
  auto tuned = pl::optimize(train, {.run = {.threads = threads}});
  const auto tuned_epoch = [&] {
    for ([[maybe_unused]] auto& photos : tuned) {
    }
  };
  tuned_epoch();  // fills its cache, if it has one

  rounds_of ours, plain, best;
  std::vector<double> ratios;
  std::uint64_t number = 0;
  const auto pipeline_round = [&] {
    for (std::size_t e = 0; e < epochs; ++e) epoch();
  };
  const auto tuned_round = [&] {
    for (std::size_t e = 0; e < epochs; ++e) tuned_epoch();
  };
  const auto plain_round = [&] {
    for (std::size_t e = 0; e < epochs; ++e) plain_loop(list, number++);
  };
  for (std::size_t r = 0; r < rounds; ++r) {  // alternately, since the machine's speed drifts
    progress = "round " + std::to_string(r + 1) + " of " + std::to_string(rounds);
    if (r % 2 == 0) ours.add(cost_of(pipeline_round));
    plain.add(cost_of(plain_round));
    best.add(cost_of(tuned_round));
    if (r % 2 != 0) ours.add(cost_of(pipeline_round));
    ratios.push_back(plain.seconds.back() / ours.seconds.back());
  }
  if (terminal) std::cerr << "\r\033[K";

  const std::size_t photos = list.size() * epochs;
  const double a = static_cast<double>(photos) / ours.median(), b = static_cast<double>(photos) / plain.median(),
               c = static_cast<double>(photos) / best.median();
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  const auto rate = [](const std::string& who, double photos_per_s, double cores) {
    std::cout << "  " << std::left << std::setw(23) << who << std::right << std::setprecision(0) << std::setw(6)
              << photos_per_s << " photos/s, on " << std::setprecision(2) << cores << " cores\n";
  };
  std::cout << list.size() << " photos, " << train.facts().count.least << " batches per epoch. " << rounds
            << " alternating rounds of " << photos << " photos (" << epochs << " epochs) each; the median round:\n"
            << std::fixed;
  rate("plumbline, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"), a, ours.cores());
  rate("plain loop, 1 thread", b, plain.cores());
  rate("plumbline, optimized", c, best.cores());
  std::cout << "  speed as written / plain loop: " << a / b << " (single rounds " << *least << " to " << *most
            << "); optimized / as written: " << c / a << '\n';
  const double cores_there = static_cast<double>(std::clamp<std::size_t>(threads, 1, pl::machine::here().cores));
  if (ours.cores() < 0.9 * cores_there || plain.cores() < 0.9)
    std::cout << "  Other programs were using the cores, or files were slow to read, so these ratios mean little.\n";
  std::cout << "\nWhat optimize found (a minibatch is a batch of 32):\n" << std::defaultfloat << pl::explain(tuned);
  std::ofstream(page) << pl::page(tuned);
  std::cout << "\nThe same as an HTML page with charts: " << page << "\nThe first batch: " << sheet << '\n';
  if (!json.empty()) {
    const nlohmann::json figures{{"photos", list.size()},
                                 {"threads", threads},
                                 {"epochs", rounds * epochs},
                                 {"rounds", rounds},
                                 {"photos_a_round", photos},
                                 {"photos_per_s", a},
                                 {"cores_used", ours.cores()},
                                 {"plain_loop_threads", 1},
                                 {"plain_loop_photos_per_s", b},
                                 {"ratio", a / b},
                                 {"ratio_least", *least},
                                 {"ratio_most", *most},
                                 {"optimized_photos_per_s", c},
                                 {"optimized_ratio", c / a},
                                 {"page", page},
                                 {"contact_sheet", sheet}};
    std::ofstream(json) << figures.dump(2) << '\n';
  }
} catch (const std::exception& e) {
  std::cerr << '\n' << e.what() << '\n';
  return 1;
}
