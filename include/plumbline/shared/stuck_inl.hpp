#pragma once
/// Definitions of shared/stuck.hpp. Linux.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/shared/stuck.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace plumbline::detail {

PLUMBLINE_INLINE stuck_check::stuck_check(const shared_segment& segment, std::size_t job, double seconds)
    : segment_(&segment), job_(job), most_(seconds) {}

PLUMBLINE_INLINE bool stuck_check::in_the_way(const shared_job& job) const {
  const auto& h = segment_->header();
  return job.part.load() == taking_part::yes && h.published.load() - job.next.load() >= h.ahead;
}

inline std::string seconds_text(double s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", s);
  return text.data();
}
/// True if the system says so; false, too, for a process that this one does not see.
inline bool is_stopped(std::int32_t pid) {
  std::FILE* const file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  if (file == nullptr) return false;
  std::array<char, 512> text{};
  const std::string all(text.data(), std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  const auto name = all.rfind(')');  // "pid (name) state ..."
  return name != all.npos && name + 2 < all.size() && (all[name + 2] == 'T' || all[name + 2] == 't');
}

PLUMBLINE_INLINE void stuck_check::throw_if_still(std::size_t j, const char* what) const {
  const auto& job = segment_->header().job[j];
  if (j == job_ || beats_[j].seconds < most_ || job.beat.load() == no_beat || !segment_->locked(j)) return;
  const auto pid = job.pid.load();
  throw std::runtime_error("plumbline: run_shared: process " + std::to_string(pid) + ", which " + what +
                           ", has not run for " + seconds_text(most_) +
                           (is_stopped(pid) ? ": it is stopped (kill -CONT continues it)" : "") +
                           "; continue it, end it, or set a larger stuck_seconds");
}

PLUMBLINE_INLINE void stuck_check::look() {
  const auto now = wall_now();
  if (last_ == 0) last_ = now;
  if (now - last_ < 20'000'000) return;
  const auto passed = std::min(1e-9 * static_cast<double>(now - last_), 0.1);  // more: this process did not run either
  last_ = now;
  const auto& h = segment_->header();
  const auto count = [&](quiet& q, std::uint64_t seen) {
    q.seconds = q.seen == seen ? q.seconds + passed : 0;
    q.seen = seen;
  };
  const auto jobs = h.joined();
  for (std::size_t j = 0; j != jobs.size(); ++j) count(beats_[j], jobs[j].beat.load());
  const auto& mine = h.job[job_];
  if (in_the_way(mine)) {
    count(held_, mine.next.load());
    if (held_.seconds >= most_)
      throw std::runtime_error(
          "plumbline: run_shared: this job waits for a batch while it holds those that keep it from being made: no "
          "job gets further than `ahead`, which is " +
          std::to_string(h.ahead) + ", beyond the oldest batch that it holds, and that was not released for " +
          seconds_text(most_) +
          ". Release batches, or give the first job a larger ahead; if another thread releases them later, set a "
          "larger stuck_seconds");
    return;
  }
  held_ = {};
  for (std::size_t j = 0; j != jobs.size(); ++j)
    if (in_the_way(jobs[j])) throw_if_still(j, "takes part and is the slowest");
  if (segment_->locked(shared_segment::preparing)) throw_if_still(h.preparer.load(), "prepares the batches");
}

}  // namespace plumbline::detail
