#pragma once
/// Definitions of watch/log_stats.hpp.

#include <plumbline/watch/log_stats.hpp>
#include <plumbline/watch/stats_text.hpp>
#include <plumbline/watch/ticker.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace plumbline {

struct stats_log::state {
  stream_watch of;
  int file;
  std::mutex mutex{};
  detail::ticker writes{};

  state(stream_watch s, int opened) : of(std::move(s)), file(opened) {}
  state(const state&) = delete;
  ~state() {
    writes.stop();
    write();
    ::close(file);
  }
  void write() {
    const std::scoped_lock lock(mutex);
    const auto now = of.stats();
    if (!now) return;
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    std::string line = "{\"time\":" + detail::exact_number(std::chrono::duration<double>(time).count()) + ',';
    (line += write_stats(*now).substr(1)) += '\n';
    // A kill may end a write between two pages of the file. So a line does not cross the end of a page: blanks, which
    // may come before a JSON value, fill the rest of it.
    constexpr std::size_t page = 4096;
    struct stat at {};
    const bool regular = ::fstat(file, &at) == 0 && S_ISREG(at.st_mode);
    if (regular) {
      const auto left = page - static_cast<std::size_t>(at.st_size) % page;
      if (line.size() > left && line.size() <= page && !put(std::string(left, ' '))) return;
    }
    if (!put(line) && regular) {
      // the disk is full: no half of a line stays
      [[maybe_unused]] const auto cut = ::ftruncate(file, at.st_size);
    }
  }
  bool put(const std::string& text) const {
    return ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
};

PLUMBLINE_INLINE stats_log::stats_log(stream_watch of, const std::string& path, double seconds) {
  if (!(seconds >= 0.001))
    throw std::invalid_argument("plumbline: log_stats: seconds is " + std::to_string(seconds) +
                                "; give at least 0.001");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    throw std::runtime_error("plumbline: log_stats: " + path + " cannot be opened: " + std::strerror(errno));
  state_ = std::make_unique<state>(std::move(of), file);
  state_->write();
  state_->writes.start(seconds, [s = state_.get()] { s->write(); });
}
PLUMBLINE_INLINE stats_log::stats_log(stats_log&&) noexcept = default;
PLUMBLINE_INLINE stats_log& stats_log::operator=(stats_log&&) noexcept = default;
PLUMBLINE_INLINE stats_log::~stats_log() = default;
PLUMBLINE_INLINE void stats_log::write() { state_->write(); }

}  // namespace plumbline
