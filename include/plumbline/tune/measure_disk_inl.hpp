#pragma once
/// Definitions of tune/measure_disk.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/tune/disk_reader.hpp>
#include <plumbline/tune/measure_disk.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

PLUMBLINE_INLINE void check_disk_options(const disk_options& how) {
  const auto refuse = [](const char* option, const std::string& wanted) {
    throw std::invalid_argument("plumbline: measure_disk: " + std::string(option) + " must be " + wanted);
  };
  if (!(how.seconds > 0) || how.seconds > 3600) refuse("seconds", "positive, at most 3600");
  if (how.most_reads == 0 || how.most_reads > 1024) refuse("most_reads", "1 to 1024");
  if (how.least_reads == 0 || how.least_reads > how.most_reads) refuse("least_reads", "1 to most_reads");
  if (how.request_bytes == 0 || how.request_bytes % 4096 != 0 || how.request_bytes > std::size_t{1} << 30U)
    refuse("request_bytes", "a multiple of 4096, at most 1 GiB");
  if (how.rounds == 0) refuse("rounds", "at least 1");
}

class disk_measurement {
 public:
  disk_measurement(const std::vector<std::string>& paths, const disk_options& how) : how_(how) {
    check_disk_options(how);
    for (const auto& path : paths) {
      const auto size = size_of_file(path);
      total_ += size;
      if (size > 0) sizes_.emplace_back(&path, size);
    }
    constexpr std::uint64_t least = std::uint64_t{1} << 20U, most = std::uint64_t{8} << 20U;
    if (total_ < least)
      throw std::invalid_argument("plumbline: measure_disk: too little to measure, " + files_text(paths.size()) +
                                  " of " + bytes_text(static_cast<double>(total_)) +
                                  " in all; give files of at least 1 MiB together");
    // pieces of files, so that a few large files can be read by as many readers as many small ones
    const auto request = std::uint64_t{how_.request_bytes};
    const auto share = std::clamp<std::uint64_t>(total_ / (2 * how_.most_reads), 1, std::max(most, request));
    const auto each = how_.read_ahead ? total_ : (share + request - 1) / request * request;
    for (const auto& [path, size] : sizes_)
      for (std::uint64_t at = 0; at < size; at += each) pieces_.push_back({path, at, std::min(size, at + each)});
    access_ = how_.read_ahead ? disk_access::read_ahead : disk_reader::access_to(*pieces_.front().path);
  }

  disk_curve measure() {
    std::vector<std::size_t> levels;
    const auto most = std::min(how_.most_reads, pieces_.size());
    for (auto n = std::min(how_.least_reads, most); n <= most; n *= 2) levels.push_back(n);
    const double each = how_.seconds / static_cast<double>(how_.rounds * levels.size());
    std::vector<std::vector<double>> seen(levels.size());
    for (std::size_t round = 0; round != how_.rounds; ++round)  // alternately, so that drift affects all levels
      for (std::size_t i = 0; i != levels.size(); ++i) seen[i].push_back(bandwidth(levels[i], each));
    std::vector<disk_curve::point> points;
    for (std::size_t i = 0; i != levels.size(); ++i)
      points.push_back({static_cast<double>(levels[i]), median(std::move(seen[i]))});
    auto curve = disk_curve::fit(std::move(points));
    check_page_cache(curve, each);
    return curve;
  }

 private:
  struct piece {
    const std::string* path;
    std::uint64_t from, to;
  };
  static std::string files_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " file" : " files"); }
  static double median(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    const auto n = x.size();
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
  }

  /// Returns the bytes per second of `readers` readers, which take pieces from a shared list. All start at the same
  /// time; each measures its own rate up to the end of its last request, so that a slow request is neither cut off nor
  /// waited for by the others.
  double bandwidth(std::size_t readers, double seconds) {
    using clock = std::chrono::steady_clock;
    std::vector<double> rates(readers);
    std::exception_ptr error;
    std::mutex mutex;
    const auto begin = clock::now() + readers * std::chrono::microseconds(100);  // when all threads have started
    const auto since_begin = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
    const auto work = [&](std::size_t who) {
      try {
        disk_reader reader(access_, how_.request_bytes);
        std::uint64_t bytes = 0;
        std::this_thread::sleep_until(begin);
        double passed = 0;
        const auto take = [&]() -> const piece& { return pieces_[next_.fetch_add(1) % pieces_.size()]; };
        const piece* then = &take();
        do {  // at least one request, however late this thread started
          const auto& p = *then;
          reader.open(*p.path, p.from, p.to);
          then = &take();
          if (how_.next_file && access_ == disk_access::read_ahead && then != &p)
            reader.will_open(*then->path, then->to);
          std::uint64_t n = 0;
          do {
            n = reader.next();
            passed = since_begin();
            bytes += n;
          } while (n != 0 && passed < seconds);
        } while (passed < seconds);
        rates[who] = static_cast<double>(bytes) / passed;
        read_ += bytes;
        opened_ += reader.opened();
        still_cached_ += reader.still_cached();
      } catch (...) {
        const std::scoped_lock lock(mutex);
        error = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> team;
      for (std::size_t i = 0; i != readers; ++i) team.emplace_back(work, i);
    }
    if (error) std::rethrow_exception(error);
    double all = 0;
    for (const auto r : rates) all += r;
    return all;
  }

  /// Returns the bytes per second of so many readers that read the first pieces from the page cache.
  double from_memory(std::size_t readers, double seconds) {
    access_ = disk_access::cached;
    std::uint64_t some = 0;
    const auto enough = std::find_if(pieces_.begin(), pieces_.end(),
                                     [&](const piece& p) { return (some += p.to - p.from) > std::uint64_t{8} << 20U; });
    pieces_.erase(std::max(enough, pieces_.begin() + 1), pieces_.end());
    disk_reader warm_up(access_, how_.request_bytes);
    for (const auto& p : pieces_) {
      warm_up.open(*p.path, p.from, p.to);
      while (warm_up.next() != 0) {
      }
    }
    return bandwidth(readers, seconds);
  }

  /// Determines what was measured. Advice may be ignored, and O_DIRECT accepted and ignored: so the fewest readers are
  /// compared with as many that certainly read from the page cache.
  void check_page_cache(disk_curve& curve, double seconds) {
    const double cold = curve.measured.front().bytes_per_second;
    const auto real = access_;
    const auto opened = opened_.load(), still = still_cached_.load(), read = read_.load();
    const auto readers = static_cast<std::size_t>(curve.measured.front().reads);
    const double warm = from_memory(readers, seconds);
    std::string how;
    curve.cache = page_cache::in_use;
    if (disk_reader::in_memory(*pieces_.front().path)) {
      how = "from memory: the files lie on a file system that has no storage";
    } else if (real != disk_access::direct && 10 * still > opened) {
      how = std::string("from memory: the file system ") +
            (real == disk_access::advised ? "refuses O_DIRECT, and " : "") + "kept " + std::to_string(still) + " of " +
            std::to_string(opened) + " pieces in the page cache against advice (are they being written, or in use?)";
    } else if (cold > 0.7 * warm) {
      how = std::string("apparently from memory: ") +
            (readers == 1 ? "one reader gets " : std::to_string(readers) + " readers get ") + rate_text(cold) +
            " with " + (real == disk_access::direct ? "O_DIRECT" : "files dropped from the page cache") + " and " +
            rate_text(warm) + " from the page cache";
    } else if (real == disk_access::direct) {
      curve.cache = page_cache::bypassed;
      how = "past the page cache (O_DIRECT)";
    } else {
      curve.cache = page_cache::dropped;
      how = std::string("dropped from the page cache before each read") +
            (real == disk_access::advised ? " (the file system refuses O_DIRECT)" : ", with the system's read-ahead");
    }
    curve.how =
        how + "; " + files_text(sizes_.size()) + " of " + bytes_text(static_cast<double>(total_)) + " in all, " +
        bytes_text(static_cast<double>(how_.request_bytes)) + " a request" +
        (read > total_ ? ", read " + number_text(static_cast<double>(read) / static_cast<double>(total_), "%.1f") +
                             " times over: a cache of the device itself may have served some"
                       : "");
    if (2 * curve.measured.back().reads <= static_cast<double>(how_.most_reads))
      curve.how += "; not measured above " + number_text(curve.measured.back().reads) +
                   " reads at a time, the files have too few pieces";
  }

  disk_options how_;
  std::vector<std::pair<const std::string*, std::uint64_t>> sizes_;
  std::vector<piece> pieces_;
  std::uint64_t total_ = 0;
  disk_access access_{};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> read_{0}, opened_{0}, still_cached_{0};
};

}  // namespace detail

PLUMBLINE_INLINE disk_curve measure_disk(const std::vector<std::string>& paths, const disk_options& how) {
  return detail::disk_measurement(paths, how).measure();
}

}  // namespace plumbline
