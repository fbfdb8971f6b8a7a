#pragma once
/// Preparation and steps that take a fixed processor time, measured once. On a machine that other machines slow down
/// from one second to the next, an analysis and the loops it is compared with then do the same work at the same speed;
/// files, sizes, caches, reads and threads are the real ones.

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "support/measure.hpp"

namespace bench {

inline double thread_seconds() { return processor_seconds(CLOCK_THREAD_CPUTIME_ID); }
/// Computes until this thread has used `seconds` since it had used `begin`.
inline void spin(double begin, double seconds) {
  while (thread_seconds() - begin < seconds) {
  }
}

/// Returns what f made of a file, and takes as long as f did: the least processor time of three calls. All files and
/// results are kept in memory.
template <class Result> class recorded {
 public:
  template <class F> recorded(const plumbline::file_list& files, F&& f) {
    auto s = plumbline::run(plumbline::files(files) | plumbline::read_file(), {.threads = 0});
    for (const auto& file : s) {
      auto& own = (*of_)[file.path];
      for (int i = 0; i != 3; ++i) {
        const auto begin = thread_seconds();
        own.result = f(file);
        const auto took = thread_seconds() - begin;
        own.seconds = i == 0 ? took : std::min(own.seconds, took);
      }
    }
  }
  Result operator()(const plumbline::file_contents& file) const {
    const auto begin = thread_seconds();
    const auto& own = of_->at(file.path);
    Result copy = own.result;
    spin(begin, own.seconds);
    return copy;
  }

 private:
  struct of_file {
    Result result{};
    double seconds = 0;
  };
  std::shared_ptr<std::map<std::string, of_file>> of_ = std::make_shared<std::map<std::string, of_file>>();
};

/// A step that computes for `seconds`.
struct spinning_step {
  double seconds;
  template <class Batch> void operator()(const Batch&) const { spin(thread_seconds(), seconds); }
};

}  // namespace bench
