#pragma once
/// log_stats(stream, path): a file with a line of JSON for every few seconds of a run (JSON Lines).
///   const auto log = pl::log_stats(stream, "run.jsonl", 10);
///   {"time":1764030086.123,"phase":"running","epoch":0,"position":430,"size":1000,"rate":35.2,...}

#include <plumbline/exec/stream.hpp>
#include <plumbline/exec/stream_watch.hpp>

#include <memory>
#include <string>

namespace plumbline {

/// Writes until it is destroyed, which adds a last line.
class stats_log {
 public:
  stats_log(stream_watch of, const std::string& path, double seconds);
  stats_log(stats_log&&) noexcept;
  stats_log& operator=(stats_log&&) noexcept;
  ~stats_log();
  /// Adds a line now.
  void write();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Adds a line to the file now, every `seconds`, and when the result is destroyed: "time" (seconds since 1970) and the
/// members of stream_stats. Ends if the stream is destroyed. Each line is whole in the file or absent, also if the
/// process is killed. A line that cannot be written (the disk is full) is left out; the first one is reported on
/// stderr. Errors: std::runtime_error if the file cannot be opened, std::invalid_argument for fewer than 0.001 seconds.
/// Infinity: only the first and the last line.
template <class T> [[nodiscard]] stats_log log_stats(const stream<T>& s, const std::string& path, double seconds = 10) {
  return stats_log(s.watch(), path, seconds);
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/log_stats_inl.hpp>
#endif
