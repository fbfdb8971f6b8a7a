// bench_stalls: the rate of training that analyze predicts, against the rate of a training loop: photos and text, at
// several cache sizes, bandwidths, numbers of cores and speeds of the step. Analysis and loops are run alternately: one
// analysis serves all cache sizes. The loops of one setting are also predicted from the analysis of another: more
// threads, and other steps.
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
#include <boost/crc.hpp>

#include "stalls/cold.hpp"
#include "stalls/epoch_figures.hpp"
#include "support/inputs.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

struct observed {
  double rate = 0;            ///< batches a second
  pl::epoch_stalls stalls{};  ///< as the stream reports them
};
/// Trains for `seconds`, after `fill` batches, which fill the caches, and a third of the time, in which buffers fill.
template <class P, class Step>
observed train(const P& p, const pl::run_options& how, Step&& step, double fill, double seconds) {
  auto s = pl::run(p, how);
  for (double i = 0; i < fill; ++i) (void)s.next();
  s.restart();
  const auto trained = [&](double least, double for_seconds) {
    const auto begin = clock_type::now();
    double batches = 0;
    do {
      auto batch = s.next();
      step(*batch);
      ++batches;
    } while (since(begin) < for_seconds || batches < least);
    return batches / since(begin);
  };
  trained(1, seconds / 3);
  const double rate = trained(fill, seconds);
  return {rate, s.stalls().back()};
}

/// A step of an accelerator: it takes no processor.
struct sleeping_step {
  double seconds;
  template <class Batch> void operator()(const Batch&) const {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

/// Calls a second of step(), over half a second.
template <class Step> double rate_of(Step&& step) {
  const auto begin = clock_type::now();
  double n = 0;
  do {
    step();
    ++n;
  } while (since(begin) < 0.5);
  return n / since(begin);
}

/// A step that computes: stochastic gradient descent of a perceptron with one hidden layer on `times` samples, made of
/// the batch's bytes. It learns whether a sample's mean is above the usual one.
class training_step {
 public:
  explicit training_step(int times) : times_(times) {}
  template <class Batch> void operator()(const Batch& batch) {
    const auto bytes = std::as_bytes(batch.span());
    for (int i = 0; i != times_; ++i) {
      Eigen::VectorXf x(inputs);
      const auto from = (static_cast<std::size_t>(i) * 7919) % (bytes.size() - inputs);
      for (int k = 0; k != inputs; ++k) x[k] = static_cast<float>(bytes[from + static_cast<std::size_t>(k)]) / 255;
      const float wanted = x.mean() > 0.5F ? 1 : 0;
      const Eigen::VectorXf hidden = (first_ * x).cwiseMax(0);
      const float out = 1 / (1 + std::exp(-second_.dot(hidden)));
      const float error = out - wanted;
      const Eigen::VectorXf back = (error * second_).cwiseProduct((hidden.array() > 0).cast<float>().matrix());
      second_ -= 0.01F * error * hidden;
      first_ -= 0.01F * back * x.transpose();
    }
  }

 private:
  static constexpr int inputs = 512, units = 64;
  int times_;
  Eigen::MatrixXf first_ = Eigen::MatrixXf::Random(units, inputs) / 16;
  Eigen::VectorXf second_ = Eigen::VectorXf::Random(units) / 8;
};

struct sweep {
  std::vector<double> shares, bandwidths;
  double seconds;
  std::size_t rounds;  ///< of analysis and loops; each figure is the median
  bool each;           ///< print every setting
  double analysis;     ///< seconds of each analysis
};

/// An analysis, and the loops after it, at each size of the cache.
struct round_of_loops {
  pl::stall_analysis a;
  std::vector<observed> seen, never_slow;
};
/// The median of f(round), or of f(i) for the i-th round.
template <class F> double of_rounds(const std::vector<round_of_loops>& rounds, F&& f) {
  std::vector<double> x;
  for (std::size_t i = 0; i != rounds.size(); ++i)
    if constexpr (std::invocable<F&, std::size_t>)
      x.push_back(f(i));
    else
      x.push_back(f(rounds[i]));
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}
/// How much the loops of one size of the cache differ: the largest rate of all rounds by the smallest, less one.
inline double spread(const std::vector<round_of_loops>& rounds, std::size_t i) {
  const auto of = [&](auto member) {
    const auto less = [&](const auto& a, const auto& b) { return (a.*member)[i].rate < (b.*member)[i].rate; };
    const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end(), less);
    return ((*most).*member)[i].rate / ((*least).*member)[i].rate - 1;
  };
  return std::max(of(&round_of_loops::seen), of(&round_of_loops::never_slow));
}
/// A setting with a step that sleeps.
struct setting {
  std::size_t threads;
  double bandwidth, step, steps_per_second;
  std::vector<round_of_loops> rounds;
};
/// Errors of the rates that the analyses of `from` predict for the loops of `to`, at each size of the cache: what other
/// hardware changes.
inline void add_errors(std::vector<double>& errors, const setting& from, const setting& to,
                       const std::vector<double>& shares) {
  for (std::size_t i = 0; i != shares.size(); ++i) {
    const double ratio = of_rounds(to.rounds, [&](std::size_t r) {
      const auto &a = from.rounds[r].a, &there = to.rounds[r].a;
      const pl::what_if other{.cores = static_cast<double>(to.threads),
                              .memory = shares[i] * there.memory_bytes,
                              .storage = there.storage_fetch * there.bytes_read / (a.storage_fetch * a.bytes_read),
                              .step = to.steps_per_second / from.steps_per_second};
      return pl::predict(a, other).rate / to.rounds[r].seen[i].rate;
    });
    errors.push_back(std::abs(ratio - 1));
  }
}

/// `plain`: the pipeline that is analysed. `with_cache(bytes)`: the same, without end, with a cache of so many bytes
/// for its files. If over.shares is only 0, it has none, and none is filled.
template <class Plain, class Cached>
void measure(bench::report& report, const std::string& name, const Plain& plain, Cached&& with_cache,
             const sweep& over) {
  std::vector<double> rates, preps, fetches, live;  // errors
  std::vector<double> spreads;                      // of the loops of one setting
  std::vector<setting> sleeping;
  double worst = 0, knees = 0, knees_right = 0, least_right = 0;
  std::string worst_at;
  const bool caches = over.shares.size() > 1;
  // One step and one bandwidth, at each size of the cache. The shares of waiting are observed by differences, as in
  // DS-Analyzer: to the step alone, and to training with storage that is never slow. (Training with all files in memory
  // would have no reads on I/O threads, whose cost belongs to preparation.)
  const auto compare = [&](auto&& analysis, double bandwidth, auto&& step, const std::string& where) {
    std::vector<round_of_loops> rounds;
    for (std::size_t r = 0; r != over.rounds; ++r) {
      auto& now = rounds.emplace_back();
      now.a = analysis();
      now.a.storage_fetch = bandwidth * now.a.prep;
      const auto& a = now.a;
      for (const double share : over.shares) {
        const auto p = with_cache(pl::bytes(static_cast<std::uint64_t>(share * a.memory_bytes)));
        pl::run_options how{.threads = static_cast<std::size_t>(a.cores)};
        const auto rate = [&](double bytes_per_second) {
          how.read_bytes_per_second = bytes_per_second;
          return train(p, how, step, caches ? std::ceil(a.data_bytes / a.bytes_read) : 1, over.seconds);
        };
        now.seen.push_back(rate(bandwidth * a.prep * a.bytes_read));
        now.never_slow.push_back(share == 1 ? now.seen.back() : rate(1e18));
      }
    }
    using round = round_of_loops;
    const auto median = [&](auto&& f) { return of_rounds(rounds, f); };
    std::vector<double> predicted_rates, seen_rates;
    const auto& a = rounds.front().a;
    for (std::size_t i = 0; i != over.shares.size(); ++i) {
      const auto predicted = [&](const round& r) {
        return pl::predict(r.a, {.memory = over.shares[i] * r.a.memory_bytes});
      };
      const auto seen_fetch = [&](const round& r) { return std::max(0.0, 1 - r.seen[i].rate / r.never_slow[i].rate); };
      const auto seen_prep = [&](const round& r) {
        return std::max(0.0, 1 - r.seen[i].rate / r.a.step - seen_fetch(r));
      };
      const double rate = median([&](const round&r) { return r.seen[i].rate; }),
                   says_prep = median([&](const round&r) { return r.seen[i].stalls.prep(); }),
                   says_io = median([&](const round&r) { return r.seen[i].stalls.io(); }), prep = median(seen_prep),
                   fetch = median(seen_fetch);
      seen_rates.push_back(rate);
      predicted_rates.push_back(median([&](const round& r) { return predicted(r).rate; }));
      // an analysis is compared with the loops of its round: from one to the next the machine changes more
      const double error = std::abs(median([&](const round& r) { return predicted(r).rate / r.seen[i].rate; }) - 1);
      rates.push_back(error);
      preps.push_back(std::abs(median([&](const round& r) { return predicted(r).prep - seen_prep(r); })));
      fetches.push_back(std::abs(median([&](const round& r) { return predicted(r).fetch - seen_fetch(r); })));
      spreads.push_back(spread(rounds, i));
      // a step that competes for the cores also waits for preparation while it runs, which the stream cannot see
      if (a.step_cpu_seconds * a.step < 0.1)
        live.push_back(std::abs(median([&](const round& r) { return r.seen[i].stalls.io() - seen_fetch(r); })));
      const auto shares = [](double of_prep, double of_fetch) {
        return " (waiting " + bench::fixed(100 * of_prep, 0) + " and " + bench::fixed(100 * of_fetch, 0) + " %)";
      };
      const auto text = bench::fixed(a.cores, 0) + " threads, " + where + ", storage " + bench::fixed(bandwidth, 1) +
                        " times the preparation's rate, " + bench::fixed(100 * over.shares[i], 0) +
                        " % cached: " + bench::fixed(rate, 1) + shares(prep, fetch) + " observed, " +
                        bench::fixed(predicted_rates.back(), 1) +
                        shares(median([&](const round& r) { return predicted(r).prep; }),
                               median([&](const round& r) { return predicted(r).fetch; })) +
                        " predicted; the stream says" + shares(says_prep, says_io);
      if (over.each) std::cout << "  " << bench::fixed(100 * error, 1) << " % off: " << text << std::endl;
      if (error > worst) {
        worst = error;
        worst_at = text;
      }
    }
    // the first cache size with which the rate is within 3 % of what it is with the largest
    const auto knee = [](const std::vector<double>& x) {
      return std::find_if(x.begin(), x.end(), [&](double each) { return each >= 0.97 * x.back(); }) - x.begin();
    };
    ++knees;
    if (std::abs(knee(predicted_rates) - knee(seen_rates)) <= 1) ++knees_right;
    // and by least_memory: the first size that holds as much; if none suffices, the largest
    const double least = median([](const round& r) { return pl::least_memory(r.a) / r.a.memory_bytes; });
    const auto first = std::find_if(over.shares.begin(), over.shares.end() - 1, [&](double x) { return x >= least; }) -
                       over.shares.begin();
    if (std::abs(first - knee(seen_rates)) <= 1) ++least_right;
    return rounds;
  };
  for (const std::size_t threads : {1U, 2U}) {
    const pl::run_options in_memory{.threads = threads, .read_bytes_per_second = 1e9};
    const auto a = pl::analyze(plain, pl::steps_per_second{1}, {.run = in_memory, .seconds = over.analysis});
    std::string others;
    for (const auto& p : a.cached)
      others += ", " + bench::fixed(p.prep, 1) + " with " + bench::fixed(100 * p.share, 0) + " % cached";
    report.note(name + ", " + std::to_string(threads) + " threads",
                bench::fixed(a.prep, 1) + " batches a second from the page cache" + others + ", " +
                    bench::fixed(a.bytes_read / 1000, 0) + " kB each, " + bench::fixed(a.data_bytes / 1e6, 1) +
                    " MB in all");
    // one that computes, at about the preparation's rate
    const auto batch = *pl::run(plain, {.threads = threads}).next();
    training_step once(100);
    training_step model(std::max(1, static_cast<int>(100 * rate_of([&] { once(batch); }) / a.prep)));
    for (const double bandwidth : over.bandwidths) {
      for (const double step : {0.5, 0.9, 2.0}) {
        const sleeping_step sleep{1 / (step * a.prep)};
        const auto analysis = [&] { return pl::analyze(plain, sleep, {.run = in_memory, .seconds = over.analysis}); };
        sleeping.push_back({threads, bandwidth, step, step * a.prep,
                            compare(analysis, bandwidth, sleep, "step " + bench::fixed(step, 1))});
      }
      compare([&] { return pl::analyze(plain, model, {.run = in_memory, .seconds = over.analysis}); }, bandwidth, model,
              "a step that computes");
    }
  }
  // what-ifs: the loops of one setting, predicted from the analyses of another
  std::vector<double> cores, steps;
  for (const auto& from : sleeping)
    for (const auto& to : sleeping) {
      if (from.bandwidth != to.bandwidth) continue;
      if (from.step == to.step && from.threads == 1 && to.threads == 2) add_errors(cores, from, to, over.shares);
      if (from.threads == to.threads && from.step == 0.9 && to.step != 0.9) add_errors(steps, from, to, over.shares);
    }
  const auto summary = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return bench::fixed(100 * x[x.size() / 2], 1) + " in the median, " + bench::fixed(100 * x[x.size() * 9 / 10], 1) +
           " in the worst tenth, " + bench::fixed(100 * x.back(), 1) + " at worst";
  };
  // the errors that are not the machine's: where the loops repeat
  std::string steady;
  if (over.rounds > 1) {
    constexpr double most = 0.03;
    const auto of_steady = [&](const std::vector<double>& all) {
      std::vector<double> some;
      for (std::size_t i = 0; i != all.size(); ++i)
        if (spreads[i] <= most) some.push_back(all[i]);
      return some.empty() ? "none" : summary(some);
    };
    const auto n = std::count_if(spreads.begin(), spreads.end(), [&](double x) { return x <= most; });
    steady = "\n  " + std::to_string(n) + " settings whose loops are within 3 % of each other: rate " +
             of_steady(rates) + "; preparation " + of_steady(preps) + "; fetching " + of_steady(fetches);
  }
  std::cout << "\n"
            << name << ", " << rates.size() << " settings\n  rate, percent: error " << summary(rates)
            << (over.rounds > 1 ? "\n  the loops themselves, one round to another, percent: " + summary(spreads) : "")
            << "\n  share of waiting for preparation, points: error " << summary(preps)
            << "\n  for fetching: " << summary(fetches) << "\n  for fetching, as the stream says: " << summary(live)
            << steady
            << (caches ? "\n  knee within one cache size: " + bench::fixed(knees_right, 0) + " of " +
                             bench::fixed(knees, 0) + "\n  the same by least_memory: " + bench::fixed(least_right, 0) +
                             " of " + bench::fixed(knees, 0)
                       : "")
            << "\n  what if, rate with 2 threads from the analysis with 1, percent: error " << summary(cores)
            << "\n  what if, rate with steps 0.5 and 2.0 from the analysis with 0.9: error " << summary(steps)
            << "\n  worst: " << worst_at << std::endl;
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

/// The offsets at which the records of a TFRecord file end, and that of the first begins: 0.
std::vector<std::size_t> record_ends(std::string_view file) {
  std::vector<std::size_t> ends{0};
  while (ends.back() + 16 <= file.size()) {
    std::uint64_t size = 0;
    std::memcpy(&size, file.data() + ends.back(), sizeof size);
    ends.push_back(ends.back() + 16 + static_cast<std::size_t>(size));
  }
  return ends;
}
std::vector<std::string> records_of(const pl::file_contents& f) {
  const std::string_view file(reinterpret_cast<const char*>(f.data.data()), f.data.size());
  const auto ends = record_ends(file);
  std::vector<std::string> all;
  for (std::size_t i = 1; i < ends.size(); ++i)
    all.emplace_back(file.substr(ends[i - 1] + 12, ends[i] - ends[i - 1] - 16));
  return all;
}
/// The records of a TFRecord file, whose checksums are compared, as TensorFlow does.
std::vector<std::string> checked_records(const pl::file_contents& f) {
  auto all = records_of(f);
  const auto* at = reinterpret_cast<const char*>(f.data.data());
  for (const auto& record : all) {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(record.data(), record.size());
    const std::uint32_t sum = crc.checksum(), masked = ((sum >> 15U) | (sum << 17U)) + 0xA282EAD8U;
    std::uint32_t stored = 0;
    std::memcpy(&stored, at + 12 + record.size(), sizeof stored);
    if (masked != stored) throw std::runtime_error(f.path + ": a record is damaged");
    at += 16 + record.size();
  }
  return all;
}
constexpr std::size_t mnist_pixels = 784;
/// The numbers of a feature in a tf.train.Example, whose list of floats is packed; with mean 0 and variance 1.
std::array<float, mnist_pixels> mnist_image(std::string_view example) {
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
std::array<float, mnist_pixels> mnist_of_record(const pl::byte_tensor& record) {
  return mnist_image({reinterpret_cast<const char*>(record.data()), record.size()});
}
/// A record's first bytes as numbers with mean 0 and variance 1.
std::array<float, 256> normalised(const std::string& record) {
  std::array<float, 256> x{};
  for (std::size_t i = 0; i != std::min(x.size(), record.size()); ++i)
    x[i] = static_cast<float>(static_cast<unsigned char>(record[i]));
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
  CLI11_PARSE(app, argc, argv);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps are steps: they must end in time
  bench::report report("data stalls: predicted against observed", o);
  const sweep over =
      o.quick
          ? sweep{{0, 0.3, 0.6, 1}, {0.4, 1.5}, 0.5, o.rounds_or(3, 1), each, analysis}
          : sweep{
                {0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1}, {0.3, 0.6, 1.2, 2.5}, 0.5, o.rounds_or(3, 1), each, analysis};

  const auto wanted = [&](const std::string& name) { return !cold && (only.empty() || name == only); };
  if (wanted("hits")) hits(report, o);
  const auto photos = bench::photos();
  const auto pictures = [&](std::uint64_t epochs, auto keep) {
    return keep(pl::files(photos) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()) | pl::map(pl::decode()) |
           pl::map(pl::random_resized_crop<224, 224>()) | pl::batch<8>();
  };
  const auto none = [](auto p) { return p; };
  if (wanted("photos"))
    measure(
        report, "photos", pictures(1, none),
        [&](pl::bytes most) { return pictures(1000, [most](auto p) { return p | pl::cache(most); }); }, over);

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
  const auto text = [&](std::uint64_t epochs, auto keep) {
    return keep(pl::files(texts.pattern()) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()) |
           pl::flat_map(words_of) | pl::map([](const std::string& w) {
             return static_cast<std::int64_t>(std::hash<std::string>()(w) % 10'000);
           }) |
           pl::batch<32768>();
  };
  if (wanted("text"))
    measure(
        report, "text", text(1, none),
        [&](pl::bytes most) { return text(1000, [most](auto p) { return p | pl::cache(most); }); }, over);

  const auto records = bench::data_folder() + "/tfrecord/mnist.tfrecord";
  // Files of 200 records each. Whole files are cached, so their records are taken apart after it.
  const auto shards = [&](const std::string& name, int n) {
    std::ifstream in(records, std::ios::binary);
    const std::string all(std::istreambuf_iterator<char>(in), {});
    const auto ends = record_ends(all);
    constexpr std::size_t each_file = 200;
    const auto folder = texts.folder() / name;
    fs::create_directory(folder);
    for (int i = 0; i != n; ++i) {
      std::ofstream out(folder / (std::to_string(1000 + i) + ".tfrecord"), std::ios::binary);
      const auto first = static_cast<std::size_t>(i) * 37 % (ends.size() - each_file);
      out.write(all.data() + ends[first], static_cast<std::streamsize>(ends[first + each_file] - ends[first]));
    }
    return (folder / "*").string();
  };
  /// `prepare(files' contents)`: the rest of the pipeline.
  const auto of_records = [&](const std::string& name, int n, auto&& prepare) {
    const auto files = shards(std::to_string(n), n);
    const auto with = [&](std::uint64_t epochs, auto keep) {
      return prepare(keep(pl::files(files) | pl::shuffle(1) | pl::repeat(epochs) | pl::read_file()));
    };
    measure(
        report, name, with(1, none),
        [&](pl::bytes most) { return with(1000, [most](auto p) { return p | pl::cache(most); }); }, over);
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
    const pl::file_list files(shards("cold", o.quick ? 200 : 1000));
    std::vector<std::string> paths;
    for (const auto& f : files) paths.push_back(f.path);
    bench::measure_cold(report, o, "tfrecords(...)", pl::tfrecords(files) | pl::map(mnist_of_record) | pl::batch<128>(),
                        bench::cold_files(paths), analysis);
  } else if (!fs::exists(records)) {
    std::cout << "\nTFRecords: skipped, as " << records << " is not there" << std::endl;
  } else {
    if (wanted("TFRecords"))
      of_records("TFRecords", 200,
                 [](auto p) { return p | pl::flat_map(checked_records) | pl::map(mnist_image) | pl::batch<128>(); });
    if (wanted("copies"))
      of_records("TFRecords, copied without being checked", 1000,
                 [](auto p) { return p | pl::flat_map(records_of) | pl::map(normalised) | pl::batch<512>(); });
    if (wanted("tfrecords-source")) {  // one reader, which reads record by record; no cache of its files is possible
      const pl::file_list files(shards("source", 200));
      std::vector<pl::file> again;  // an epoch that lasts as long as all loops
      for (int i = 0; i != 200; ++i) again.insert(again.end(), files.begin(), files.end());
      const auto reading = [](const pl::file_list& of) {
        return pl::tfrecords(of) | pl::map(mnist_of_record) | pl::batch<128>();
      };
      auto without_caches = over;
      without_caches.shares = {0};
      const auto endless = reading(again);
      measure(
          report, "tfrecords(...)", reading(files), [&](pl::bytes) { return endless; }, without_caches);
    }
  }
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
