#pragma once
/// Definitions of watch/log_stats.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/watch/log_stats.hpp>
#include <plumbline/watch/stats_text.hpp>
#include <plumbline/watch/ticker.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

struct stats_log::state {
  stream_watch of;
  std::string path;
  int file;
  std::mutex mutex{};
  bool reported = false;  ///< that lines are left out
  bool looked = false;    ///< how the file ends
  detail::ticker writes{};

  state(stream_watch s, std::string name, int opened) : of(std::move(s)), path(std::move(name)), file(opened) {}
  state(const state&) = delete;
  ~state() {
    writes.stop();
    write();
    ::close(file);
  }
  void write() {
    std::string why;
    {
      const std::scoped_lock lock(mutex);
      why = add_line();
      if (why.empty() || std::exchange(reported, true)) return;
    }
    // without the lock, as writing may wait
    std::fprintf(stderr,
                 "plumbline: log_stats: %s cannot be written: %s; lines are left out until it can be (reported once)\n",
                 path.c_str(), why.c_str());
  }
  /// Returns why there is no line; empty: there is one, or the stream is gone.
  std::string add_line() {
    const auto now = of.stats();
    if (!now) return {};
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    std::string line = "{\"time\":" + detail::exact_number(std::chrono::duration<double>(time).count()) + ',';
    (line += write_stats(*now).substr(1)) += '\n';
    // A kill may end a write between two pages of the file. So a line does not cross the end of a page: blanks, which
    // may come before a JSON value, fill the rest of it.
    constexpr std::size_t page = 4096;
    std::string why;
    struct stat at {};
    const bool regular = ::fstat(file, &at) == 0 && S_ISREG(at.st_mode);
    if (regular && !follows_a_line(at.st_size)) line.insert(0, 1, '\n');
    if (regular) {
      const auto left = page - static_cast<std::size_t>(at.st_size) % page;
      if (line.size() > left && line.size() <= page) why = put(std::string(left, ' '));
    }
    if (why.empty()) why = put(line);
    if (!why.empty() && regular) {
      // the disk is full: no half of a line stays
      [[maybe_unused]] const auto cut = ::ftruncate(file, at.st_size);
    }
    return why;
  }
  /// False if the file ends within a line, that of a program which was killed.
  bool follows_a_line(off_t size) {
    if (std::exchange(looked, true) || size == 0) return true;
    const int reads = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char last = '\n';
    if (reads >= 0 && ::pread(reads, &last, 1, size - 1) != 1) last = '\n';
    if (reads >= 0) ::close(reads);
    return last == '\n' || last == ' ';
  }
  /// Returns why the text is not in the file; empty: it is.
  std::string put(const std::string& text) const {
    const auto n = ::write(file, text.data(), text.size());
    if (n == static_cast<ssize_t>(text.size())) return {};
    return n < 0 ? std::strerror(errno) : "there was room for a part of a line only";
  }
};

PLUMBLINE_INLINE stats_log::stats_log(stream_watch of, const std::string& path, double seconds) {
  if (!(seconds >= 0.001))
    throw std::invalid_argument("plumbline: log_stats: seconds is " + detail::exact_number(seconds) +
                                "; give at least 0.001");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    throw std::runtime_error("plumbline: log_stats: " + path + " cannot be opened: " + std::strerror(errno));
  state_ = std::make_unique<state>(std::move(of), path, file);
  state_->write();
  state_->writes.start(seconds, [s = state_.get()] { s->write(); });
}
PLUMBLINE_INLINE stats_log::stats_log(stats_log&&) noexcept = default;
PLUMBLINE_INLINE stats_log& stats_log::operator=(stats_log&&) noexcept = default;
PLUMBLINE_INLINE stats_log::~stats_log() = default;
PLUMBLINE_INLINE void stats_log::write() { state_->write(); }

}  // namespace plumbline
