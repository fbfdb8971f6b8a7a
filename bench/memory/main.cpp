// bench_memory: the growth of resident memory over many elements, and the time that destroying a stream takes.
#include <unistd.h>

#include <atomic>
#include <plumbline/plumbline.hpp>
#include <thread>

#include "support/report.hpp"

namespace pl = plumbline;

namespace {

double resident_mb() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  if (!in) throw std::runtime_error("cannot read /proc/self/statm");
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Samples resident memory every 100 ms, from construction to stop().
class sampler {
 public:
  sampler()
      : thread_([this] {
          const auto begin = bench::clock::now();
          for (std::size_t i = 1; !stop_.load(); ++i) {
            samples_.push_back(resident_mb());
            std::this_thread::sleep_until(begin + i * std::chrono::milliseconds(100));
          }
        }) {
    samples_.reserve(1'000'000);
  }
  ~sampler() { stop(); }
  const std::vector<double>& stop() {
    stop_.store(true);
    if (thread_.joinable()) thread_.join();
    return samples_;
  }

 private:
  std::vector<double> samples_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

void growth(bench::report& report, std::size_t epochs) {
  constexpr std::int64_t n = 100'000'000;
  sampler memory;
  std::uint64_t elements = 0;
  const double seconds = bench::seconds([&] {
    auto stream = pl::run(pl::range(n) | pl::shuffle(10'000, 1) | pl::batch(256), {.threads = 2});
    for (std::size_t e = 0; e < epochs; ++e)
      for (const auto& batch : stream) elements += batch.size();
  });
  const auto& samples = memory.stop();
  if (elements != epochs * static_cast<std::uint64_t>(n)) throw std::runtime_error("elements were lost");
  const std::size_t first = std::min<std::size_t>(10, samples.size() / 10);
  const double then = samples[first],
               most = *std::max_element(samples.begin() + static_cast<std::ptrdiff_t>(first), samples.end());
  std::cout << "\nrange(100 million) | shuffle(10000, seed) | batch(256), 2 workers, " << epochs << " epochs, "
            << bench::fixed(seconds, 1) << " s, " << samples.size() << " samples of resident memory\n  "
            << (first == 10 ? "after the first second " : "after the first tenth ") << bench::fixed(then, 2)
            << " MB, at most after that " << bench::fixed(most, 2) << " MB, growth " << bench::fixed(most - then, 2)
            << " MB\n";
  report.record("memory",
                {{"elements", elements}, {"seconds", seconds}, {"after_first_second_mb", then}, {"most_mb", most}});
  report.at_most("growth of resident memory after the first second, MB", most - then, 2);
}

/// Destroys streams of one kind, each after a random number of elements; returns the destruction times in ms.
template <class Make>
bench::series drops(std::size_t streams, std::uint64_t most_elements, pl::rng& random, const Make& make) {
  bench::series out;
  for (std::size_t i = 0; i < streams; ++i) {
    auto stream = std::optional(make(random.below(4)));
    for (auto left = random.below(most_elements + 1); left != 0; --left)
      if (!stream->next()) break;
    out.rounds.push_back(bench::seconds([&] { stream.reset(); }) * 1e3);
  }
  return out;
}

void dropping(bench::report& report, std::size_t streams) {
  static constexpr double function_ms = 3;
  const auto slowly = [](std::int64_t x) {
    const auto until = bench::clock::now() + std::chrono::duration<double, std::milli>(function_ms);
    while (bench::clock::now() < until) {
    }
    return x;
  };
  pl::rng random(1);
  struct kind {
    std::string name;
    double function;
    bench::series ms;
  };
  const std::size_t each = streams / 5;
  std::vector<kind> kinds;
  kinds.push_back({"range | map | batch(256)", 0, drops(each, 2000, random, [](std::size_t threads) {
                     return pl::run(pl::range(std::int64_t{1} << 40) | pl::map([](std::int64_t x) { return x + 1; }) |
                                        pl::batch(256),
                                    {.threads = threads});
                   })});
  kinds.push_back({"range | map(3 ms)", function_ms, drops(each, 30, random, [&](std::size_t threads) {
                     return pl::run(pl::range(std::int64_t{1} << 40) | pl::map(slowly), {.threads = threads});
                   })});
  kinds.push_back({"range | filter(nothing passes)", 0, drops(each, 0, random, [](std::size_t threads) {
                     auto stream = pl::run(pl::range(std::int64_t{1} << 40) |
                                               pl::filter([](std::int64_t x) { return x < 100; }) | pl::batch(10),
                                           {.threads = threads});
                     for (int i = 0; i < 10; ++i) stream.next();  // from here on no element passes
                     return stream;
                   })});
  kinds.push_back(
      {"range | shuffle(10000, seed) | map | batch(64)", 0, drops(each, 2000, random, [](std::size_t threads) {
         return pl::run(pl::range(std::int64_t{1} << 40) | pl::shuffle(10'000, 1) |
                            pl::map([](std::int64_t x) { return x + 1; }) | pl::batch(64),
                        {.threads = threads});
       })});
  kinds.push_back(
      {"range | interleave(range | map(3 ms), 4 open)", function_ms, drops(each, 30, random, [&](std::size_t threads) {
         return pl::run(pl::range(std::int64_t{1} << 40) | pl::interleave([slowly](std::int64_t i) {
                          return pl::range(i, i + 100) | pl::map(slowly);
                        }),
                        {.threads = threads});
       })});
  std::cout << "\nstreams destroyed after a random number of elements, with 0 to 3 workers at random: destruction time "
               "[ms]\n  "
            << std::left << std::setw(48) << "" << std::right << std::setw(8) << "p50" << std::setw(8) << "p99"
            << std::setw(8) << "most" << std::setw(9) << "streams" << std::setw(14) << "function ms" << '\n';
  double over = -1e9;
  for (const auto& k : kinds) {
    std::cout << "  " << std::left << std::setw(48) << k.name << std::right << std::setw(8)
              << bench::fixed(k.ms.quantile(0.5), 2) << std::setw(8) << bench::fixed(k.ms.quantile(0.99), 2)
              << std::setw(8) << bench::fixed(k.ms.high(), 2) << std::setw(9) << k.ms.rounds.size() << std::setw(14)
              << bench::fixed(k.function, 1) << '\n';
    report.record("dropping " + k.name, {{"p50_ms", k.ms.quantile(0.5)},
                                         {"p99_ms", k.ms.quantile(0.99)},
                                         {"most_ms", k.ms.high()},
                                         {"function_ms", k.function}});
    over = std::max(over, k.ms.high() - k.function);
  }
  report.at_most("longest destruction beyond the longest user function, ms", over, 50);
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app(
      "Measures the growth of resident memory over many elements, and the time that destroying a stream takes.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  bench::report report("memory: resident memory over many elements; destroying streams", o);
  growth(report, o.quick ? 3 : 10);
  dropping(report, o.quick ? 500 : 1000);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
