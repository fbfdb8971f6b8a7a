// bench_accelerator: what analyze predicts against training loops whose step runs on an accelerator. The step is a
// shared library (step/resnet18.cpp), so that plumbline's build needs no machine learning framework:
//   bench_accelerator --step ./resnet18.so
#include <plumbline/image.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "stalls/cold.hpp"
#include "stalls/loops.hpp"
#include "support/inputs.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;

/// train(pixels, images) and describe() of a shared library.
class loaded_step {
 public:
  explicit loaded_step(const std::string& path) : library_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error("cannot load the step: " + std::string(::dlerror()));
    train_ = reinterpret_cast<train_function*>(found("train"));
    describe_ = reinterpret_cast<describe_function*>(found("describe"));
  }
  template <class Batch> void operator()(const Batch& batch) const {
    train_(batch.span().data(), batch.span().size() / (224 * 224 * 3));
  }
  std::string describe() const { return describe_(); }

 private:
  using train_function = void(const std::uint8_t*, std::size_t);
  using describe_function = const char*();
  void* found(const char* name) const {
    void* at = ::dlsym(library_, name);
    if (at == nullptr) throw std::runtime_error("the step has no function " + std::string(name));
    return at;
  }
  void* library_;  // never unloaded: frameworks leave threads behind
  train_function* train_;
  describe_function* describe_;
};

std::string percent(double share) { return bench::fixed(100 * share, 0) + " %"; }

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares the rates that analyze predicts with those of training on an accelerator.");
  bench::add_options(app, o);
  std::string library;
  app.add_option("--step", library, "shared library with the training step");
  double seconds = 0;
  app.add_option("--seconds", seconds, "of each analysis and loop")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (seconds == 0) seconds = o.quick ? 3 : 8;
  bench::report report("training on an accelerator: predicted against observed", o);
  if (library.empty()) {
    report.skipped("training on an accelerator", "no step is given: --step LIBRARY, see bench/accelerator/step");
    report.finish();
    return 0;
  }
  const loaded_step step(library);
  report.note("step", step.describe());

  constexpr std::size_t images = 64;
  // copies, so that an epoch has enough batches for a pace of its own
  const bench::temporary_folder temporary;
  bench::copies_of(bench::photos(), temporary.folder() / "photos", 40);
  const auto photos = (temporary.folder() / "photos/*").string();
  const auto pictures = [&](std::uint64_t epochs, auto keep) {
    return keep(pl::files(photos) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()) | pl::map(pl::decode()) |
           pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::random_flip()) | pl::batch<images>();
  };
  const auto none = [](auto p) { return p; };
  const auto plain = pictures(1, none);

  bench::series errors, shares;
  const auto show = [&](const std::string& what, const pl::stall_prediction& predicted, double observed,
                        double waiting) {
    errors.rounds.push_back(std::abs(predicted.rate / observed - 1));
    shares.rounds.push_back(std::abs(predicted.prep + predicted.fetch - waiting));
    std::cout << "  " << what << ": " << bench::fixed(predicted.rate * images, 0) << " images a second predicted, "
              << bench::fixed(observed * images, 0) << " observed (" << bench::fixed(100 * errors.rounds.back(), 1)
              << " % off); waiting " << percent(predicted.prep) << " for preparation and " << percent(predicted.fetch)
              << " for fetching predicted, " << percent(waiting) << " in all observed" << std::endl;
  };
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<pl::stall_analysis> all;
  std::vector<double> observed;
  std::cout << "\npreparation alone, files in the page cache\n";
  for (unsigned threads = 1; threads <= cores; threads *= 2) {
    const pl::run_options how{.threads = threads};
    all.push_back(pl::analyze(plain, step, {.run = how, .seconds = seconds}));
    const auto& a = all.back();
    observed.push_back(bench::train(pictures(1000, none), how, step, 4, seconds).rate);
    show(std::to_string(threads) + " threads (G " + bench::fixed(a.step * images, 0) + ", P " +
             bench::fixed(a.prep * images, 0) + " images a second)",
         pl::predict(a, {.storage = 1e6}), observed.back(), std::max(0.0, 1 - observed.back() / a.step));
  }
  const auto& most = all.back();
  std::cout << "\nwhat other numbers of cores give, from the analysis with up to 4 threads\n";
  for (std::size_t i = 0; i != all.size(); ++i)
    if (const auto& from = all[std::min<std::size_t>(2, all.size() - 1)]; from.cores != all[i].cores)
      show(bench::fixed(all[i].cores, 0) + " threads", pl::predict(from, {.cores = all[i].cores, .storage = 1e6}),
           observed[i], std::max(0.0, 1 - observed[i] / all[i].step));
  std::cout << "\nslow storage and a cache, " << bench::fixed(most.cores, 0) << " threads\n";
  for (const double bandwidth : {0.3, 0.8}) {
    const double limit = bandwidth * std::min(most.prep, most.step) * most.bytes_read;
    const pl::run_options how{.threads = static_cast<std::size_t>(most.cores), .read_bytes_per_second = limit};
    const auto a = pl::analyze(plain, step, {.run = how, .seconds = seconds});
    for (const double share : {0.0, 0.3, 0.6, 1.0}) {
      const pl::bytes memory(static_cast<std::uint64_t>(share * a.memory_bytes));
      const double rate = bench::train(pictures(1000, [&](auto p) { return p | pl::cache(memory); }), how, step,
                                       static_cast<std::size_t>(std::ceil(a.data_bytes / a.bytes_read)), seconds)
                              .rate;
      show("storage at " + bench::fixed(bandwidth, 1) + " of what training reads, " + percent(share) + " cached",
           pl::predict(a, {.memory = static_cast<double>(memory.count)}), rate, std::max(0.0, 1 - rate / a.step));
    }
  }
  report.at_most("percent that the rate is off, in the median", 100 * errors.median(), 4, 1);
  report.at_most("percent that the rate is off, at worst", 100 * errors.high(), 10, 1);
  report.at_most("points that the share of waiting is off, at worst", 100 * shares.high(), 3, 1);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
