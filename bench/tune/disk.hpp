#pragma once
/// Pipelines limited by storage: predicted and observed throughput under a token bucket of six bandwidths, as in
/// Plumber's section 5.2, for decoded photos and for TFRecords of about 110 KB interleaved from shards.

#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <string>

#include "support/report.hpp"
#include "support/stream_rate.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tfrecord_writer.hpp"
#include "tune/predictions.hpp"

namespace disk_bench {
namespace pl = plumbline;

/// TFRecord shards in a temporary folder, deleted with the object.
struct shards : plumbline_test::temp_folder {
  shards(int files, int records, std::size_t bytes) {
    for (int f = 0; f != files; ++f) {
      plumbline_test::tfrecord_writer shard;
      for (int r = 0; r != records; ++r) shard.write(std::string(bytes + static_cast<std::size_t>(97 * r % 4001), 'x'));
      write(std::to_string(f) + ".tfrecord", shard.bytes());
    }
  }
};

class sweep {
 public:
  sweep(bench::report& r, const bench::options& o)
      : report_(r), rounds_(o.rounds_or(5, 3)), seconds_(o.quick ? 0.5 : 2) {}

  template <class P> void one(const std::string& name, const P& p, const std::vector<double>& bandwidths) {
    pl::optimize_options o;
    o.run.threads = 2;
    o.caches = false;
    o.seconds = 2 * seconds_;
    o.progress = [](const std::string&) {};
    std::vector<std::pair<std::string, bench::series>> rows;
    std::vector<std::string> words;
    for (const double bandwidth : bandwidths) {
      o.run.read_bytes_per_second = bandwidth;
      auto tuned = pl::optimize(p, o);
      const auto t = bench::in_turns({[&] { return bench::rate_of(tuned, seconds_); }}, rounds_);
      tuned.stop();
      rows.emplace_back(pl::rate_text(bandwidth), t[0]);
      const auto& where = rows.back().first;
      words.push_back(where + ": " + all_.add(report_, name + ", " + where, tuned.plan().rate, t, t[0]) + "; " +
                      tuned.plan().bottleneck + "; " + std::to_string(tuned.plan().io_threads) +
                      " I/O threads; other processes used " + bench::fixed(100 * t.disturbed, 1) + " % of a core");
    }
    report_.table(name, "minibatches/s", 2, rows);
    for (const auto& w : words) std::cout << "  " << w << '\n';
  }
  void check_targets() {
    report_.at_most("error of the prediction under a disk limit, median, %", all_.median_percent(), 5, 1,
                    all_.disturbed());
    report_.at_most("error of the prediction under a disk limit, worst, %", all_.worst_percent(), 5, 1,
                    all_.disturbed());
  }

 private:
  bench::report& report_;
  std::size_t rounds_;
  double seconds_;
  predictions all_{};
};

inline void run_all(bench::report& report, const bench::options& o, const std::string& photos) {
  sweep s(report, o);
  s.one("photos, decoded and cropped",
        pl::files(photos, {.ignore_case = true}) | pl::shuffle(1) | pl::repeat() | pl::read_file() |
            pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::to_planar()) |
            pl::batch<4>(),
        {4e6, 8e6, 12e6, 16e6, 20e6, 24e6});
  const shards records(8, 64, 108'000);
  s.one("TFRecords of 110 KB, interleaved from shards",
        pl::files(records.path()) | pl::repeat() |
            pl::interleave([](const pl::file& f) { return pl::tfrecords(f.path); }, {.cycle_length = 4}) |
            pl::map([](const pl::byte_tensor& record) {
              std::uint64_t sum = 0;
              for (const auto b : record.span()) sum += b;
              return sum;
            }) |
            pl::batch<16>(),
        {50e6, 100e6, 150e6, 200e6, 250e6, 300e6});
  const auto disk = pl::measure_disk({records.path() + "/0.tfrecord", records.path() + "/1.tfrecord"});
  std::vector<std::string> curve;
  for (const auto& m : disk.measured)
    curve.push_back(bench::fixed(m.reads, 0) + ": " + pl::rate_text(m.bytes_per_second));
  std::cout << "\nbandwidth of the disk itself (" << disk.how << "), by reads at a time\n ";
  for (const auto& c : curve) std::cout << ' ' << c;
  std::cout << '\n';
  s.check_targets();
}

}  // namespace disk_bench
