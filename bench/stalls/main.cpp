// bench_stalls: what analyze predicts against training loops (stalls/sweep.hpp) of photos, text and TFRecords; what a
// cache hit costs, and what the figures of a stream cost.
#include <plumbline/image.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

#include <Eigen/Dense>

#include "stalls/cold.hpp"
#include "stalls/epoch_figures.hpp"
#include "stalls/sweep.hpp"
#include "support/inputs.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;

/// What an element costs that is found in a cache, beside one that a map copies from memory: nanoseconds each.
void hits(bench::report& report, const bench::options& o) {
  for (const std::size_t size : {100U, 10'000U}) {
    const std::size_t n = size == 100 ? 5'000 : 64;
    const auto all = std::make_shared<const std::vector<std::vector<std::uint8_t>>>(n, std::vector<std::uint8_t>(size));
    const auto copied = pl::range(static_cast<std::int64_t>(n)) |
                        pl::map([all](std::int64_t i) { return (*all)[static_cast<std::size_t>(i)]; });
    const auto contender = [n](const auto& p) {
      auto s = std::make_shared<decltype(pl::run(p))>(pl::run(p, {.threads = 0}));
      for (const auto& x : *s) (void)x;  // fills a cache
      return [s, n] {
        return bench::seconds([&] {
          for (std::size_t epoch = 0; epoch * n < 500'000; ++epoch)
            for (const auto& x : *s) (void)x;
        });
      };
    };
    const auto t = bench::in_turns({contender(copied), contender(copied | pl::cache()),
                                    contender(copied | pl::cache(pl::bytes(std::uint64_t{1} << 30)))},
                                   o.rounds_or(9, 5));
    const auto each = [&](const bench::series& x) {
      return x.as([&](double sec) { return 1e9 * sec / static_cast<double>((500'000 + n - 1) / n * n); });
    };
    report.table("elements of " + std::to_string(size) + " bytes, no threads", "ns each", 1,
                 {{"copied by a map", each(t[0])}, {"cache()", each(t[1])}, {"cache(bytes)", each(t[2])}});
    for (const std::size_t i : {1U, 2U})
      report.at_most("elements of " + std::to_string(size) + " bytes: ns that a hit in " +
                         (i == 1 ? "cache()" : "cache(bytes)") + " costs more than the copy",
                     each(t[i]).median() - each(t[0]).median(), 150, 1, &t);
  }
}

std::vector<std::string> words_of(const pl::file_contents& f) {
  std::vector<std::string> all;
  const auto* at = reinterpret_cast<const char*>(f.data.data());
  const auto* end = at + f.data.size();
  while (at != end) {
    const auto* stop = std::find(at, end, ' ');
    all.emplace_back(at, stop);
    at = stop == end ? end : stop + 1;
  }
  return all;
}

/// The offsets at which the records of a TFRecord file end, and that of the first begins: 0.
std::vector<std::uint64_t> record_ends(const std::string& path) {
  std::vector<std::uint64_t> ends{0};
  pl::tfrecord_reader reader(path);
  for (pl::byte_tensor record; reader.next(record);) ends.push_back(reader.offset());
  return ends;
}
constexpr std::size_t mnist_pixels = 784;
/// The numbers of a feature in a tf.train.Example, whose list of floats is packed; with mean 0 and variance 1.
std::array<float, mnist_pixels> mnist_image(const pl::byte_tensor& record) {
  const std::string_view example(reinterpret_cast<const char*>(record.data()), record.size());
  constexpr std::string_view name = "image_floats";
  const auto at = example.find(name);
  constexpr std::size_t headers = 9;  // of feature, list and values: a tag and two bytes of length each
  std::array<float, mnist_pixels> x{};
  if (at == std::string_view::npos || at + name.size() + headers + sizeof x > example.size())
    throw std::runtime_error("an example has no " + std::string(name));
  std::memcpy(x.data(), example.data() + at + name.size() + headers, sizeof x);
  Eigen::Map<Eigen::ArrayXf> all(x.data(), static_cast<Eigen::Index>(x.size()));
  all -= all.mean();
  all /= std::sqrt(all.square().mean() + 1e-6F);
  return x;
}
/// A record's first bytes as numbers with mean 0 and variance 1.
std::array<float, 256> normalised(const pl::byte_tensor& record) {
  std::array<float, 256> x{};
  for (std::size_t i = 0; i != std::min(x.size(), record.size()); ++i) x[i] = static_cast<float>(record.data()[i]);
  Eigen::Map<Eigen::ArrayXf> all(x.data(), static_cast<Eigen::Index>(x.size()));
  all -= all.mean();
  all /= std::sqrt(all.square().mean() + 1e-6F);
  return x;
}

/// Files of which little is prepared, so that reading them is most of the work.
auto bytes_of(const std::string& pattern) {
  return pl::files(pattern) | pl::shuffle(1) | pl::read_file() | pl::map([](const pl::file_contents& f) {
           std::int64_t sum = 0;
           for (std::size_t i = 0; i < f.data.size(); i += 512) sum += f.data.data()[i];
           return sum;
         }) |
         pl::batch<32>();
}

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares the rates of training that analyze predicts with those of a loop.");
  bench::add_options(app, o);
  bool each = false;
  app.add_flag("--each", each, "print every setting");
  std::string only;
  app.add_option("--only", only, "one of them: hits, figures, photos, text, TFRecords, copies, tfrecords-source")
      ->check(CLI::IsMember({"hits", "figures", "photos", "text", "TFRecords", "copies", "tfrecords-source"}));
  bool cold = false;
  app.add_flag("--cold", cold, "only training that reads from the storage, its files dropped from the page cache");
  double analysis = pl::analyze_options{}.seconds;
  app.add_option("--seconds", analysis, "of each analysis")->check(CLI::PositiveNumber)->capture_default_str();
  double loop = 0.5;
  app.add_option("--loop", loop, "seconds of each loop of training")->check(CLI::PositiveNumber)->capture_default_str();
  std::size_t rounds_again = 0;
  app.add_option("--again", rounds_again, "rounds more for settings and knees that are off by more than wanted (0)");
  int attempts = 4;
  app.add_option("--attempts", attempts, "for each analysis and loop, until others use hardly any processor meanwhile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bool recorded = false;
  app.add_flag(
      "--recorded", recorded,
      "only photos, text and TFRecords, and instead of computing, operators and steps spin for the processor time that "
      "they once took: for machines whose speed changes");
  CLI11_PARSE(app, argc, argv);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps are steps: they must end in time
  bench::report report("data stalls: predicted against observed", o);
  const std::size_t rounds = o.rounds_or(3, 1);
  const auto over_all = [&](const std::vector<double>& shares, const std::vector<double>& bandwidths) {
    return bench::sweep{shares, bandwidths, loop, rounds, rounds_again, each, analysis, attempts, recorded};
  };
  const auto over = o.quick ? over_all({0, 0.3, 0.6, 1}, {0.4, 1.5})
                            : over_all({0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1}, {0.3, 0.6, 1.2, 2.5});

  const auto named = [&](const std::string& name) { return !cold && (only.empty() || name == only); };
  const auto wanted = [&](const std::string& name) { return !recorded && named(name); };
  const auto wanted_recorded = [&](const std::string& name) { return recorded && named(name); };
  if (wanted("hits")) hits(report, o);
  const auto bytes_in = [](const std::string& pattern, std::uint64_t epochs) {
    return pl::files(pattern) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file();
  };
  const auto photos = bench::photos();
  const auto pictures = [&](std::uint64_t epochs, auto keep) {
    return keep(bytes_in(photos, epochs)) | pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) |
           pl::batch<8>();
  };
  const auto none = [](auto p) { return p; };
  /// `with(epochs, keep)`: the pipeline, where keep(p) puts the cache behind p.
  const auto sweep = [&](const std::string& name, auto&& with) {
    bench::measure(
        report, name + (recorded ? ", recorded" : ""), with(1, none), with(1000, none),
        [&](pl::bytes most) { return with(1000, [most](auto p) { return p | pl::cache(most); }); }, over);
  };
  if (wanted("photos")) sweep("photos", pictures);
  if (wanted_recorded("photos")) {
    std::uint64_t n = 0;
    const bench::recorded<pl::fixed_image<224, 224, 3>> prepared(photos, [&](const pl::file_contents& f) {
      pl::rng random(1, n++);
      return pl::random_resized_crop<224, 224>()(pl::decode()(f), random);
    });
    sweep("photos", [&](std::uint64_t epochs, auto keep) {
      return keep(bytes_in(photos, epochs)) | pl::map(prepared) | pl::batch<8>();
    });
  }

  if (wanted("figures")) {
    bench::epoch_figures figures(report, o);
    const double seconds = o.quick ? 1 : 5;
    figures.of_run(report, "photos, read on I/O threads", pictures(1, none),
                   {.threads = 2, .read_bytes_per_second = 1e18}, seconds);
    figures.of_run(report, "photos' bytes, read on I/O threads", bytes_of(photos),
                   {.threads = 2, .read_bytes_per_second = 1e18}, seconds);
    figures.of_run(report, "numbers, no I/O threads",
                   pl::range(100'000'000) | pl::map([](std::int64_t x) { return x ^ 5; }), {.threads = 2}, seconds);
  }

  const bench::text_files texts(20'000, 300);
  const auto number_of = [](const std::string& word) {
    return static_cast<std::int64_t>(std::hash<std::string>()(word) % 10'000);
  };
  if (wanted("text"))
    sweep("text", [&](std::uint64_t epochs, auto keep) {
      return keep(bytes_in(texts.pattern(), epochs)) | pl::flat_map(words_of) | pl::map(number_of) | pl::batch<32768>();
    });
  if (wanted_recorded("text")) {
    const bench::recorded<std::vector<std::int64_t>> numbers(texts.pattern(), [&](const pl::file_contents& f) {
      std::vector<std::int64_t> all;
      for (const auto& word : words_of(f)) all.push_back(number_of(word));
      return all;
    });
    sweep("text", [&](std::uint64_t epochs, auto keep) {
      return keep(bytes_in(texts.pattern(), epochs)) | pl::flat_map(numbers) | pl::batch<32768>();
    });
  }

  const auto records = bench::data_folder() + "/tfrecord/mnist.tfrecord";
  // Files of 200 records each. Whole files are cached, so their records are taken apart after it.
  const auto shards = [&](const std::string& name, int n) {
    std::ifstream in(records, std::ios::binary);
    const std::string all(std::istreambuf_iterator<char>(in), {});
    const auto ends = record_ends(records);
    constexpr std::size_t each_file = 200;
    const auto folder = texts.folder() / name;
    fs::create_directory(folder);
    for (int i = 0; i != n; ++i) {
      std::ofstream out(folder / (std::to_string(1000 + i) + ".tfrecord"), std::ios::binary);
      const auto first = static_cast<std::size_t>(i) * 37 % (ends.size() - each_file);
      out.write(all.data() + ends.at(first), static_cast<std::streamsize>(ends.at(first + each_file) - ends[first]));
    }
    return (folder / "*").string();
  };
  if (cold) {
    const bench::cold_files copied(bench::copies_of(photos, texts.folder() / "photos", o.quick ? 4 : 10));
    const auto pattern = (texts.folder() / "photos/*").string();
    bench::measure_cold(report, o, "photos",
                        pl::files(pattern) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                            pl::map(pl::random_resized_crop<224, 224>()) | pl::batch<8>(),
                        copied, analysis);
    bench::measure_cold(report, o, "photos, only their bytes", bytes_of(pattern), copied, analysis);
  }
  if (cold && fs::exists(records)) {
    const pl::file_list all(shards("cold", o.quick ? 200 : 1000));
    std::vector<std::string> paths;
    for (const auto& f : all) paths.push_back(f.path);
    bench::measure_cold(report, o, "tfrecords(...)", pl::tfrecords(all) | pl::map(mnist_image) | pl::batch<128>(),
                        bench::cold_files(paths), analysis);
  } else if (!fs::exists(records)) {
    std::cout << "\nTFRecords: skipped, as " << records << " is not there" << std::endl;
  } else {
    const auto files = shards("200", 200);
    if (wanted("TFRecords"))
      sweep("TFRecords", [&](std::uint64_t epochs, auto keep) {
        return keep(bytes_in(files, epochs)) | pl::flat_map(pl::parse_tfrecords()) | pl::map(mnist_image) |
               pl::batch<128>();
      });
    if (wanted_recorded("TFRecords")) {
      const bench::recorded<std::vector<std::array<float, mnist_pixels>>> images(files, [](const pl::file_contents& f) {
        std::vector<std::array<float, mnist_pixels>> all;
        for (const auto& record : pl::parse_tfrecords()(f)) all.push_back(mnist_image(record));
        return all;
      });
      sweep("TFRecords", [&](std::uint64_t epochs, auto keep) {
        return keep(bytes_in(files, epochs)) | pl::flat_map(images) | pl::batch<128>();
      });
    }
    if (wanted("copies"))
      sweep("TFRecords, copied without being checked",
            [&, more = shards("1000", 1000)](std::uint64_t epochs, auto keep) {
              return keep(bytes_in(more, epochs)) | pl::flat_map(pl::parse_tfrecords({.verify_crc = false})) |
                     pl::map(normalised) | pl::batch<128>();
            });
    if (wanted("tfrecords-source")) {  // one reader, which reads record by record; no cache of its files is possible
      const pl::file_list all(files);
      std::vector<pl::file> again;  // an epoch that lasts as long as all loops
      for (int i = 0; i != 200; ++i) again.insert(again.end(), all.begin(), all.end());
      const auto reading = [](const pl::file_list& of) {
        return pl::tfrecords(of) | pl::map(mnist_image) | pl::batch<128>();
      };
      auto without_caches = over;
      without_caches.shares = {0};
      const auto endless = reading(again);
      bench::measure(
          report, "tfrecords(...)", reading(all), endless, [&](pl::bytes) { return endless; }, without_caches);
    }
  }
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
