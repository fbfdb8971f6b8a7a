// bench_tune: does optimize predict the rate of its plan, and does the plan keep up with the alternatives?
// Eight pipelines, each run alternately in three forms: naive (one thread), the heuristic (all cores everywhere, as run
// does), and the form that optimize chose. Figures are minibatches per second once caches are full. The prediction and
// the simulator's rate are compared with what is observed. --exhaustive: also finds the best of all plans.
// Instead of the eight pipelines: --fused: what decode and crop in one function save, and whether pick_best chooses
// them exactly if decoded photos do not fit into the given memory. --disk: predictions for pipelines limited by
// storage, at six bandwidths. --waiting: pipelines whose functions wait. --sizes: the size of a cache, estimated from 5
// % of the files. --planning: the cost of planning, and the number of steps to the optimum in the simulator.
#include <cstdlib>
#include <filesystem>
#include <plumbline/model/simulator.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include "support/report.hpp"
#include "support/stream_rate.hpp"
#include "tune/disk.hpp"
#include "tune/planning.hpp"
#include "tune/sizes.hpp"
#include "tune/waiting.hpp"

namespace pl = plumbline;

namespace {

using bench::rate_of;

/// A fixed amount of processor work, independent of the clock.
struct working {
  int turns;
  std::int64_t operator()(std::int64_t x) const {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != turns; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  }
};

class tuning_bench {
 public:
  tuning_bench(bench::report& r, const bench::options& o, std::size_t threads, bool exhaustive)
      : report_(r),
        rounds_(o.rounds_or(7, 3)),
        seconds_(o.quick ? 0.3 : 1),
        threads_(std::max<std::size_t>(threads, 1)),
        exhaustive_(exhaustive) {
    for (std::size_t level = 1; level < threads_; level *= 2) levels_.push_back(level);
    levels_.push_back(threads_);
  }

  /// Measures one pipeline. With exhaustive_, also tries every plan with 1, 2, 4, ... messages at once (at most the
  /// number of threads) for each parallel part and each cache position, and compares optimize's choice with the best.
  template <class P> void one(const std::string& name, const P& p, bool caches) {
    pl::optimize_options o;
    o.run.threads = threads_;
    o.caches = caches;
    o.seconds = 4 * seconds_;
    o.progress = [](const std::string&) {};
    auto tuned = pl::optimize(p, o);
    auto naive = pl::run(p, {.threads = 1, .prefetch = 1, .io_threads = 1});
    auto heuristic = pl::run(p, {.threads = threads_});
    rate_of(tuned, seconds_);  // fills a cache, which takes about an epoch
    while (caches && tuned.epoch() < 2 && !tuned.plan().caches.empty()) rate_of(tuned, seconds_);
    const auto t =
        bench::in_turns({[&] { return rate_of(naive, seconds_); }, [&] { return rate_of(heuristic, seconds_); },
                         [&] { return rate_of(tuned, seconds_); }},
                        rounds_);
    const double predicted = tuned.plan().rate;
    report_.table(name, "minibatches/s", 1, {{"naive", t[0]}, {"heuristic", t[1]}, {"optimized", t[2]}});
    report_.quiet(t);
    const double error = predicted / t[2].median() - 1;
    std::cout << "  predicted " << bench::fixed(predicted, 1) << " (" << bench::fixed(100 * error, 1) << " % off); "
              << tuned.plan().bottleneck
              << (tuned.plan().caches.empty() ? "" : "; cache after " + std::to_string(tuned.plan().caches.front()))
              << "; relative to heuristic " << bench::fixed(bench::ratio(t[2], t[1]).median(), 3) << ", to naive "
              << bench::fixed(bench::ratio(t[2], t[0]).median(), 2) << "; traced and planned in "
              << bench::fixed(tuned.why().seconds, 2) << " s\n";
    const auto& why = tuned.why();
    std::cout << "  reported by optimize " << bench::fixed(why.rate(), 1) << '\n';
    const auto look =
        why.again ? pl::simulation_of(why.again->seen, why.again->made) : pl::simulation_of(why.seen, why.made);
    const double simulated = pl::simulate(look, 400).rate;
    const double apart = simulated / t[2].median() - 1;
    std::cout << "  in the simulator " << bench::fixed(simulated, 1) << " (" << bench::fixed(100 * apart, 1)
              << " % off)\n";
    if (exhaustive_) search(p, tuned, caches);
    report_.record(name, {{"predicted", predicted}, {"simulated", simulated}, {"observed", t[2].median()}});
    simulated_.rounds.push_back(std::abs(apart));
    errors_.rounds.push_back(std::abs(error));
    kept_up_.rounds.push_back(bench::ratio(t[2], t[1]).median());
    disturbed_.disturbed = std::max(disturbed_.disturbed, t.disturbed);
  }
  void check_targets() {
    report_.at_most("error of the prediction, median, %", 100 * errors_.median(), 10, 1, &disturbed_);
    report_.at_most("error of the prediction, worst, %", 100 * errors_.high(), 25, 1, &disturbed_);
    report_.at_most("error of the simulator, worst, %", 100 * simulated_.high(), 10, 1, &disturbed_);
    report_.at_least("optimized relative to heuristic, lowest", kept_up_.low(), 0.97, 3, &disturbed_);
    if (exhaustive_)
      report_.at_least("optimized relative to the best of all plans, lowest", to_best_.low(), 0.95, 3, &disturbed_);
  }

 private:
  template <class P, class T> void search(const P& p, pl::tuned<T>& tuned, bool caches) {
    std::vector<std::vector<std::uint32_t>> places{{}};
    if (caches)
      for (const auto site : pl::detail::forms<3, P>::sites()) places.push_back({site});
    std::vector<std::size_t> parallel;
    for (std::size_t i = 0; i != tuned.plan().parts.size(); ++i)
      if (!tuned.plan().parts[i].serial) parallel.push_back(i);
    const auto open = [&](const pl::plan& how) {
      auto s = pl::run(p, how);
      rate_of(s, seconds_ / 3);  // starts the stream, and fills a cache
      while (!how.caches.empty() && s.epoch() < 2) rate_of(s, seconds_ / 3);
      return s;
    };
    pl::plan best = tuned.plan();
    double most = 0;
    std::size_t tried = 0;
    std::size_t combinations = 1;
    for (std::size_t k = 0; k != parallel.size(); ++k) combinations *= levels_.size();
    for (const auto& at : places)
      for (std::size_t which = 0; which != combinations; ++which, ++tried) {
        auto how = tuned.plan();
        how.caches = at;
        how.chunk = 0;
        auto rest = which;
        for (const auto i : parallel) {
          how.parts[i].parallelism = levels_[rest % levels_.size()];
          rest /= levels_.size();
        }
        auto s = open(how);
        const double rate = rate_of(s, seconds_ / 2);
        if (rate <= most) continue;
        most = rate;
        best = how;
      }
    auto s = open(best);
    const auto t =
        bench::in_turns({[&] { return rate_of(s, seconds_); }, [&] { return rate_of(tuned, seconds_); }}, rounds_);
    const double kept = bench::ratio(t[1], t[0]).median();
    std::cout << "  best of " << tried << " plans " << bench::fixed(t[0].median(), 1) << ", at parallelism";
    for (const auto i : parallel) std::cout << ' ' << best.parts[i].parallelism;
    std::cout << (best.caches.empty() ? "" : ", cache after " + std::to_string(best.caches.front()))
              << "; optimized relative to it " << bench::fixed(kept, 3) << '\n';
    to_best_.rounds.push_back(kept);
    disturbed_.disturbed = std::max(disturbed_.disturbed, t.disturbed);
  }

  bench::report& report_;
  std::size_t rounds_;
  double seconds_;
  std::size_t threads_;
  std::vector<std::size_t> levels_{};  ///< values of parallelism to try
  bool exhaustive_;
  bench::series errors_{}, kept_up_{}, simulated_{}, to_best_{};
  bench::turns disturbed_{};
};

/// The file pattern of the available photos.
std::string photos_in(const std::string& data, const std::string& own) {
  return (std::filesystem::is_directory(data) ? data + "/photos_clothing" : own) + "/**/*.{jpg,jpeg}";
}

void run_all(bench::report& report, const bench::options& o, const std::string& data, const std::string& own,
             std::size_t threads, bool exhaustive) {
  tuning_bench b(report, o, threads, exhaustive);
  const bool there = std::filesystem::is_directory(data);
  const std::string photos = photos_in(data, own);
  if (!there) report.skipped("text, TFRecords and other photos", "there is no " + data + " (set PLUMBLINE_DATA)");
  const auto images = pl::files(photos, {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() |
                      pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::to_planar()) |
                      pl::batch<32>();
  b.one("photos, nothing kept", images, false);
  b.one("photos, with a cache", images, true);
  b.one("two sources zipped",
        pl::zip(pl::files(photos, {.ignore_case = true}) | pl::read_file() | pl::map(pl::decode()) |
                    pl::map(pl::resize<64, 64>()) | pl::repeat(),
                pl::range(std::int64_t{1} << 40) | pl::map(working{20'000})) |
            pl::batch<16>(),
        false);
  b.one("numbers",
        pl::range(std::int64_t{1} << 24) | pl::map(working{40}) | pl::map([](std::int64_t x) { return x ^ 5; }) |
            pl::map([](std::int64_t x) { return static_cast<float>(x); }) | pl::batch<1024>(),
        false);
  b.one("a filter that lets 1 of 50 pass",
        pl::range(std::int64_t{1} << 40) | pl::map(working{200}) |
            pl::filter([](std::int64_t x) { return x % 50 == 0; }) | pl::map(working{10'000}) | pl::batch<64>(),
        false);
  b.one("an expensive serial operator",
        pl::generate([i = std::int64_t{0}]() mutable { return std::optional(working{20'000}(i++)); }) |
            pl::map(working{15'000}) | pl::batch<64>(),
        false);
  if (!there) return b.check_targets();
  b.one("lines of text, small operators",
        pl::lines(data + "/text/wikitext2_test.raw") | pl::filter([](const std::string& s) {
          return s.size() > 3;
        }) | pl::map([](std::string s) {
          for (char& c : s) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
          return s;
        }) | pl::map([](const std::string& s) {
          std::uint64_t h = 0;
          for (const char c : s) h = pl::hash_combine(h, static_cast<unsigned char>(c));
          return h;
        }) | pl::batch<256>(),
        false);
  b.one("TFRecords, interleaved from shards",
        pl::files(data + "/tfrecord/taxi_12shards/*") |
            pl::interleave([](const pl::file& f) { return pl::tfrecords(f.path); }, {.cycle_length = 4}) |
            pl::map([](const auto& record) { return working{2'000}(static_cast<std::int64_t>(record.size())); }) |
            pl::batch<64>(),
        false);
  b.check_targets();
}

/// Photos per second of processor time: decode, then crop; both in one function; both in one, with reduction.
void crops(bench::report& report, const bench::options& o, const std::string& name,
           const std::vector<pl::byte_tensor>& files) {
  const auto timed = [&](const auto& f) {
    return [&files, f] {
      std::uint64_t looked = 0;
      const double begin = bench::processor_seconds(CLOCK_THREAD_CPUTIME_ID);
      for (std::size_t i = 0; i != files.size(); ++i) {
        pl::rng random(1, i);
        looked += f(files[i], random).data()[0];
      }
      const double s = bench::processor_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
      return looked == ~std::uint64_t{0} ? 0 : static_cast<double>(files.size()) / s;
    };
  };
  const auto t = bench::in_turns(
      {timed([](const pl::byte_tensor& x, pl::rng& r) {
         return pl::random_resized_crop<224, 224>()(pl::decode()(x), r);
       }),
       timed([](const pl::byte_tensor& x, pl::rng& r) { return pl::decode_random_resized_crop<224, 224>()(x, r); }),
       timed([](const pl::byte_tensor& x, pl::rng& r) {
         return pl::decode_random_resized_crop<224, 224>({}, {}, pl::reduction::by_dct)(x, r);
       })},
      o.rounds_or(9, 3));
  report.table("decode and crop, " + name + ", processor time", "photos/s", 1,
               {{"decode, crop", t[0]}, {"in one", t[1]}, {"in one, reduced", t[2]}});
  report.quiet(t);
  double moved = 0, values = 0;
  for (std::size_t i = 0; i != files.size(); ++i) {
    pl::rng a(1, i), b(1, i);
    const auto exact = pl::decode_random_resized_crop<224, 224>()(files[i], a);
    const auto near = pl::decode_random_resized_crop<224, 224>({}, {}, pl::reduction::by_dct)(files[i], b);
    for (std::size_t k = 0; k != exact.size(); ++k) moved += std::abs(exact.data()[k] - near.data()[k]);
    values += static_cast<double>(exact.size());
  }
  std::cout << "  speed relative to decode, crop: in one " << bench::fixed(bench::ratio(t[1], t[0]).median(), 2)
            << "; in one, reduced " << bench::fixed(bench::ratio(t[2], t[0]).median(), 2) << "; pixels off by "
            << bench::fixed(moved / values, 2) << " of 255 on average\n";
}

void choices(bench::report& report, const bench::options& o, const std::string& name, const std::string& pattern) {
  const auto list = pl::files(pattern, {.ignore_case = true});
  std::vector<pl::byte_tensor> files;
  double decoded = 0;
  for (const auto& f : pl::run(list | pl::read_file())) {
    files.push_back(f.data);
    decoded += static_cast<double>(pl::decode()(f.data).pixels.size());
  }
  crops(report, o, name, files);

  const auto read = list | pl::shuffle(1) | pl::read_file();
  const auto crop = pl::map(pl::random_resized_crop<224, 224>());
  const auto plain = read | pl::map(pl::decode()) | crop | pl::map(pl::to_planar()) | pl::batch<32>();
  const auto cached = read | pl::map(pl::decode()) | pl::cache() | crop | pl::map(pl::to_planar()) | pl::batch<32>();
  const auto fused =
      read | pl::map(pl::decode_random_resized_crop<224, 224>()) | pl::map(pl::to_planar()) | pl::batch<32>();
  const double seconds = o.quick ? 0.5 : 1;
  pl::optimize_options how;
  how.run.threads = 2;
  how.seconds = 12 * seconds;
  how.progress = [](const std::string&) {};
  const auto take = [&](const std::string& memory, double bytes) {
    how.memory = bytes;
    auto best = pl::pick_best(how, plain, cached, fused);
    std::cout << "\n" << name << ", " << pl::bytes_text(bytes) << " of memory (" << memory << "):\n";
    for (const auto& a : best.why().alternatives)
      std::cout << "  " << bench::fixed(a.observed, 1) << "  " << a.what
                << (&a == &best.why().alternatives[best.why().taken] ? "   <- taken" : "") << '\n';
    return best;
  };
  auto large = take("decoded photos fit twice", 2 * decoded), small = take("half of them fit", 0.5 * decoded);
  auto a = pl::run(plain, {.threads = 2}), b = pl::run(cached, {.threads = 2}), c = pl::run(fused, {.threads = 2});
  for (auto* s : {&b, static_cast<decltype(&b)>(&large)})
    while (s->epoch() < 3) rate_of(*s, 0.2);  // fills the caches
  const auto t = bench::in_turns(
      {[&] { return rate_of(a, seconds); }, [&] { return rate_of(b, seconds); }, [&] { return rate_of(c, seconds); },
       [&] { return rate_of(large, seconds); }, [&] { return rate_of(small, seconds); }},
      o.rounds_or(7, 3));
  report.table("pick_best, " + name + ", 2 threads", "minibatches/s", 1,
               {{"decode, crop", t[0]},
                {"decode, cache, crop", t[1]},
                {"in one", t[2]},
                {"taken, much memory", t[3]},
                {"taken, little memory", t[4]}});
  report.quiet(t);
  report.at_least("much memory: speed relative to in one", bench::ratio(t[3], t[2]).median(), 1, 2, &t);
  report.at_least("little memory: speed relative to decode, crop", bench::ratio(t[4], t[0]).median(), 1, 2, &t);
  report.at_least("much memory: decoded photos are kept (1: yes)", large.why().taken != 2, 1, 0);
  report.at_least("little memory: in one is taken (1: yes)", small.why().taken == 2, 1, 0);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options options;
  const char* said = std::getenv("PLUMBLINE_DATA");
  std::string data = said != nullptr ? said : std::string(PLUMBLINE_SOURCE_DIR) + "/../shared/data";
  CLI::App app("Compares what optimize predicts with the observed rate of its plan.");
  bool fused = false;
  app.add_flag("--fused", fused, "compare decode and crop in one with decode, cache, crop");
  bench::add_options(app, options);
  bool disk = false;
  bool sizes = false;
  app.add_flag("--sizes", sizes, "estimate the size of a cache of decoded photos from 5 % of the files");
  std::size_t threads = 2;
  app.add_option("--threads", threads, "threads of the eight pipelines (2)");
  bool planning = false;
  app.add_flag("--planning", planning, "the cost of planning, and steps to the optimum in the simulator");
  bool waiting = false;
  app.add_flag("--waiting", waiting, "only pipelines whose functions wait: sleep, read, ask a server");
  bool exhaustive = false;
  app.add_flag("--exhaustive", exhaustive, "also run every other plan of each pipeline");
  app.add_flag("--disk", disk, "only pipelines limited by read bandwidth, at six bandwidths");
  CLI11_PARSE(app, argc, argv);
  return bench::guarded_main([&] {
    const std::string own = std::string(PLUMBLINE_SOURCE_DIR) + "/examples/data/photos";
    bench::report report(fused ? "Decode and crop in one, or decode, cache, crop?"
                               : "Does optimize predict the rate of its plan, and does the plan keep up?",
                         options);
    if (sizes)
      sizes_bench::one(report, options, std::filesystem::is_directory(data) ? "photos_clothing" : "the demo's photos",
                       photos_in(data, own));
    else if (planning)
      planning_bench::all(report, options, own + "/**/*.{jpg,jpeg}");
    else if (waiting)
      waiting_bench::run_all(report, options);
    else if (disk)
      disk_bench::run_all(report, options, photos_in(data, own));
    else if (!fused)
      run_all(report, options, data, own, threads, exhaustive);
    else if (!std::filesystem::is_directory(data))
      choices(report, options, "the demo's photos", own + "/**/*.{jpg,jpeg}");
    else
      for (const std::string name : {"photos_pixabay_classes", "photos_clothing"})
        choices(report, options, name, data + "/" + name + "/**/*.{jpg,jpeg}");
    report.finish();
    return 0;
  });
}
