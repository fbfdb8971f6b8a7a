#pragma once
/// Training that reads from the storage itself: the files are dropped from the page cache before each epoch. Compares
/// its rate with what the analysis says, which measures the storage.

#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/measure.hpp"
#include "support/report.hpp"
#include "tests/support/page_cache.hpp"

namespace bench {

/// Files that have been written to storage, so that they can be dropped from the page cache.
class cold_files {
 public:
  explicit cold_files(std::vector<std::string> paths) : paths_(std::move(paths)) {
    if (!paths_.empty()) plumbline_test::write_to_storage(paths_.front());
    for (const auto& path : paths_) bytes_ += static_cast<double>(std::filesystem::file_size(path));
  }
  const std::vector<std::string>& paths() const { return paths_; }
  double bytes() const { return bytes_; }
  /// Drops them, and returns the share of their pages that stayed.
  double drop() const {
    for (const auto& path : paths_) plumbline_test::drop_pages(path);
    plumbline_test::cached_pages sum;
    for (const auto& path : paths_) {
      const auto one = plumbline_test::pages_of(path);
      sum.all += one.all, sum.there += one.there;
    }
    return sum.all > 0 ? sum.there / sum.all : 0;
  }
  /// The device that they are on: "vda, virtual".
  std::string device() const {
    struct stat s {};
    if (paths_.empty() || ::stat(paths_.front().c_str(), &s) != 0) return "unknown";
    const auto number = std::to_string(major(s.st_dev)) + ":" + std::to_string(minor(s.st_dev));
    std::error_code none;
    const auto link = std::filesystem::read_symlink("/sys/dev/block/" + number, none);
    if (none) return "no block device (" + number + ")";
    return link.filename().string() + (link.string().find("virt") != std::string::npos ? ", virtual" : "");
  }

 private:
  std::vector<std::string> paths_;
  double bytes_ = 0;
};

/// So many copies of each file, in a new folder.
inline std::vector<std::string> copies_of(const plumbline::file_list& files, const std::filesystem::path& folder,
                                          int times) {
  std::filesystem::create_directory(folder);
  std::vector<std::string> all;
  for (int i = 0; i != times; ++i)
    for (const auto& f : files) {
      const auto to = folder / (std::to_string(all.size()) + std::filesystem::path(f.path).extension().string());
      std::filesystem::copy_file(f.path, to);
      all.push_back(to.string());
    }
  return all;
}

/// A whole epoch's batches a second. (From its first batch on, what was read before that would cost nothing.)
template <class Stream> double epoch_rate(Stream& s) {
  double n = 0;
  const double took = seconds([&] {
    s.restart();
    while (s.next()) ++n;
  });
  return n / took;
}

/// Epochs of `p`, which reads `files` without a limit: alternately with these dropped from the page cache, and from it.
template <class P>
void measure_cold(report& to, const options& o, const std::string& name, const P& p, const cold_files& files,
                  double analysis_seconds) {
  namespace pl = plumbline;
  const pl::run_options how{.threads = 2};
  const auto disk = pl::measure_disk(files.paths(), {.seconds = 2});
  const auto a = pl::analyze(p, pl::steps_per_second{1e9}, {.run = how, .seconds = analysis_seconds});
  auto s = pl::run(p, how);
  series cold, warm, waiting;
  double stayed = 0;
  for (std::size_t round = 0; round != o.rounds_or(5, 3); ++round) {
    stayed = std::max(stayed, files.drop());
    cold.rounds.push_back(epoch_rate(s));
    waiting.rounds.push_back(100 * s.stalls().back().io());
    warm.rounds.push_back(epoch_rate(s));
  }
  const auto now = pl::predict(a);
  const auto in_mb = [&](double rate) { return fixed(rate * a.bytes_read / 1e6, 0) + " MB/s"; };
  const auto one = [](double rate) { return series{{rate}}; };
  to.table(name + ": " + std::to_string(files.paths().size()) + " files, " + fixed(files.bytes() / 1e6, 0) +
               " MB, 2 threads",
           "batches/s", 1,
           {{"P, files in memory, as analyze says", one(a.prep)},
            {"P, read on I/O threads", one(a.cached.empty() ? a.prep : a.cached.front().prep)},
            {"P, files from storage", one(now.prep_rate)},
            {"S, from storage, as analyze says", one(a.storage_fetch)},
            {"S, as the planner predicts it", one(a.modelled_storage)},
            {"training from storage, predicted", one(now.rate)},
            {"training from storage", cold},
            {"training from the page cache", warm}});
  to.note(name + ": storage", files.device() + "; by measure_disk " + fixed(disk.at(1) / 1e6, 0) +
                                  " MB/s with one read at a time, " + fixed(disk.most() / 1e6, 0) + " at most; " +
                                  disk.how);
  to.note(name + ": page cache", fixed(100 * stayed, 1) + " % of the pages stayed, at most, when they were dropped");
  to.note(name + ": stall", (now.fetch > 0.01 ? "the storage is the limit, " + in_mb(a.storage_fetch)
                                              : "none to see: the storage, " + in_mb(a.storage_fetch) +
                                                    ", is faster than preparation, " + in_mb(now.rate)) +
                                "; the prediction is " + fixed(100 * (now.rate / cold.median() - 1), 1) +
                                " % off; the stream says that " + fixed(waiting.median(), 0) +
                                " % of an epoch waited for I/O");
}

}  // namespace bench
