// bench_stalls: the rate of training that analyze predicts, against the rate of a training loop: photos and text, at
// several cache sizes, bandwidths, numbers of cores and speeds of the step. Each pipeline is analysed once.
#include <plumbline/image.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

#include "support/report.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

struct observed {
  double rate = 0, waits = 0;  ///< batches a second; the share of the time that the loop waited
};
/// Trains for `seconds`, after `fill` batches, which fill the caches. The step takes no processor: it sleeps.
template <class P>
observed train(const P& p, const pl::run_options& how, double step_seconds, double fill, double seconds) {
  auto s = pl::run(p, how);
  for (double i = 0; i < fill; ++i) (void)s.next();
  const auto begin = clock_type::now();
  double batches = 0, waited = 0;
  do {
    const auto from = clock_type::now();
    (void)s.next();
    const auto got = clock_type::now();
    waited += std::chrono::duration<double>(got - from).count();
    std::this_thread::sleep_until(got + std::chrono::duration<double>(step_seconds));
    ++batches;
  } while (since(begin) < seconds || batches < fill);
  const double all = since(begin);
  return {batches / all, waited / all};
}

struct sweep {
  std::vector<double> shares, bandwidths;
  double seconds;
};

/// `with_cache(bytes)`: the pipeline with a cache of so many bytes for its files; without argument, without one.
template <class Plain, class Cached>
void measure(bench::report& report, const std::string& name, const Plain& plain, Cached&& with_cache,
             const sweep& over) {
  std::vector<double> errors, share_errors;
  double worst = 0, knees = 0, knees_right = 0;
  std::string worst_at;
  for (const std::size_t threads : {1U, 2U}) {
    auto a = pl::analyze(plain, pl::steps_per_second{1}, {.run = {.threads = threads, .read_bytes_per_second = 1e9}});
    const double bandwidth_for_prep = a.prep * a.bytes_read;
    report.note(name + ", " + std::to_string(threads) + " threads",
                bench::fixed(a.prep, 1) + " batches a second from memory, " + bench::fixed(a.bytes_read / 1000, 0) +
                    " kB each, " + bench::fixed(a.data_bytes / 1e6, 1) + " MB in all");
    for (const double step : {0.5, 0.9, 2.0})
      for (const double bandwidth : over.bandwidths) {
        a.step = step * a.prep;
        a.storage_fetch = bandwidth * a.prep;
        std::size_t observed_knee = over.shares.size(), predicted_knee = over.shares.size();
        for (std::size_t i = 0; i != over.shares.size(); ++i) {
          const double memory = over.shares[i] * a.memory_bytes;
          const auto predicted = pl::predict(a, {.memory = memory});
          const auto seen = train(with_cache(pl::bytes(static_cast<std::uint64_t>(memory))),
                                  {.threads = threads, .read_bytes_per_second = bandwidth * bandwidth_for_prep},
                                  1 / a.step, std::ceil(a.data_bytes / a.bytes_read), over.seconds);
          const double error = std::abs(predicted.rate / seen.rate - 1);
          errors.push_back(error);
          share_errors.push_back(std::abs(predicted.prep + predicted.fetch - seen.waits));
          if (error > worst) {
            worst = error;
            worst_at = std::to_string(threads) + " threads, step " + bench::fixed(step, 1) + ", storage " +
                       bench::fixed(bandwidth, 1) + " times the preparation's rate, " +
                       bench::fixed(100 * over.shares[i], 0) + " % cached: " + bench::fixed(seen.rate, 1) +
                       " observed, " + bench::fixed(predicted.rate, 1) + " predicted";
          }
          const double best = std::min(a.step, a.prep);
          if (seen.rate > 0.97 * best) observed_knee = std::min(observed_knee, i);
          if (predicted.rate > 0.97 * best) predicted_knee = std::min(predicted_knee, i);
        }
        ++knees;
        if (std::max(observed_knee, predicted_knee) - std::min(observed_knee, predicted_knee) <= 1) ++knees_right;
      }
  }
  const auto summary = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return std::pair(100 * x[x.size() / 2], 100 * x.back());
  };
  const auto [median, most] = summary(errors);
  const auto [wait_median, wait_most] = summary(share_errors);
  std::cout << "\n"
            << name << ", " << errors.size() << " settings\n  rate: error " << bench::fixed(median, 1)
            << " % in the median, " << bench::fixed(most, 1) << " % at worst\n  share of waiting: error "
            << bench::fixed(wait_median, 1) << " points in the median, " << bench::fixed(wait_most, 1)
            << " at worst\n  knee within one cache size: " << bench::fixed(knees_right, 0) << " of "
            << bench::fixed(knees, 0) << "\n  worst: " << worst_at << std::endl;
}

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

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares the rates of training that analyze predicts with those of a loop.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps are steps: they must end in time
  bench::report report("data stalls: predicted against observed", o);
  const sweep over = o.quick ? sweep{{0, 0.3, 0.6, 1}, {0.4, 1.5}, 0.5}
                             : sweep{{0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1}, {0.3, 0.6, 1.2, 2.5}, 1};

  hits(report, o);
  const char* folder = std::getenv("PLUMBLINE_DATA");
  const std::string data = folder != nullptr ? folder : PLUMBLINE_SOURCE_DIR "/../shared/data";
  std::string photos = data + "/photos_clothing/**/*.jpg";
  if (!fs::is_directory(data + "/photos_clothing")) photos = PLUMBLINE_SOURCE_DIR "/examples/data/photos/**/*.jpg";
  const auto pictures = [&](std::uint64_t epochs, auto keep) {
    return keep(pl::files(photos) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()) | pl::map(pl::decode()) |
           pl::map(pl::random_resized_crop<224, 224>()) | pl::batch<8>();
  };
  const auto none = [](auto p) { return p; };
  measure(
      report, "photos", pictures(1, none),
      [&](pl::bytes most) { return pictures(1000, [most](auto p) { return p | pl::cache(most); }); }, over);

  const auto at = fs::temp_directory_path() / ("plumbline_stalls_" + std::to_string(::getpid()));
  fs::create_directory(at);
  for (int i = 0; i != 200; ++i) {
    std::ofstream out(at / (std::to_string(1000 + i) + ".txt"));
    for (int k = 0; k != 20'000; ++k) out << (k * 2654435761U + static_cast<unsigned>(i)) % 9973 << ' ';
  }
  const auto text = [&](std::uint64_t epochs, auto keep) {
    return keep(pl::files((at / "*.txt").string()) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()) |
           pl::flat_map(words_of) | pl::map([](const std::string& w) {
             return static_cast<std::int64_t>(std::hash<std::string>()(w) % 10'000);
           }) |
           pl::batch<32768>();
  };
  measure(
      report, "text", text(1, none),
      [&](pl::bytes most) { return text(1000, [most](auto p) { return p | pl::cache(most); }); }, over);
  fs::remove_all(at);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
