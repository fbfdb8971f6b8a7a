#pragma once
// Jobs of run_shared as processes: this executable started again, with a hidden test case that does what the
// environment says and writes down what it got.
#include <support/temp_folder.hpp>

#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline_test {

namespace pl = plumbline;

struct row {
  pl::tensor<float> values;
  std::vector<std::int64_t> members;
  std::string name;
};

// Indexed, random, with batches made in place.
inline auto pictures(std::int64_t n) {
  return pl::range(n) | pl::shuffle(3) | pl::map([](std::int64_t i, pl::rng& r) {
           pl::tensor<float> t({40, 40}, static_cast<float>(i));
           t(3, 4) = static_cast<float>(r.uniform());
           return t;
         }) |
         pl::batch<4>();
}
// Not indexed, with elements of several parts, which are made elsewhere.
inline auto rows(std::int64_t n) {
  return pl::range(n) | pl::filter([](std::int64_t i) { return i % 3 != 0; }) | pl::shuffle(5, 20) |
         pl::map([](std::int64_t i) {
           return row{pl::tensor<float>({static_cast<std::size_t>(i % 7)}, static_cast<float>(i)),
                      std::vector<std::int64_t>(static_cast<std::size_t>(i % 5), i), std::to_string(i)};
         });
}
inline std::uint64_t hash_of(const pl::tensor<float>& t) {
  return pl::detail::hash_of(std::string_view(reinterpret_cast<const char*>(t.data()), t.size_bytes()));
}
inline std::uint64_t hash_of(const row& r) {
  return pl::hash_combine(pl::detail::hash_of(r.members),
                          pl::hash_combine(hash_of(r.values), pl::detail::hash_of(r.name)));
}

// What one epoch should be: the hashes of its batches.
template <class P> std::vector<std::uint64_t> epoch_of(const P& p, std::uint64_t epoch) {
  std::vector<std::uint64_t> all;
  for (const auto& b : pl::run(p, {.threads = 2, .seed = 11, .first_epoch = epoch})) all.push_back(hash_of(b));
  return all;
}

// A name that no other test on this machine uses.
inline std::string own_name(const std::string& of) { return of + " " + std::to_string(::getpid()); }

struct work {
  std::string name, pipeline = "pictures";
  std::size_t jobs = 1, epochs = 3, size = 200, ahead = 8;
  int step_us = 0;  // how long it takes for each batch
  double wait = 60, stuck = 60;
};

// What a job wrote: for each batch its epoch, its number there as the job counts, and its hash; then its totals.
struct got {
  std::map<std::uint64_t, std::vector<std::uint64_t>> epochs;
  bool ended = false;
  std::uint64_t prepared = 0, copied = 0;
  double longest_wait = 0;
  std::string error;
};

class job {
 public:
  job(const work& w, const std::string& output) : output_(output) {
    std::ostringstream all;
    all << w.pipeline << ' ' << w.jobs << ' ' << w.epochs << ' ' << w.size << ' ' << w.ahead << ' ' << w.step_us << ' '
        << w.wait << ' ' << w.stuck << ' ' << w.name;
    std::vector<std::string> environment{"PLUMBLINE_TEST_WORK=" + all.str(), "PLUMBLINE_TEST_OUTPUT=" + output};
    for (char** e = environ; *e != nullptr; ++e) environment.emplace_back(*e);
    std::vector<char*> env;
    for (auto& e : environment) env.push_back(e.data());
    env.push_back(nullptr);
    std::string self = "/proc/self/exe", only = "a job of run_shared";
    char* arguments[] = {self.data(), only.data(), nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    REQUIRE(::posix_spawn(&pid_, self.c_str(), &quiet, nullptr, arguments, env.data()) == 0);
    posix_spawn_file_actions_destroy(&quiet);
  }
  job(job&& other) noexcept : output_(std::move(other.output_)), pid_(std::exchange(other.pid_, 0)) {}
  job& operator=(job&& other) noexcept {
    std::swap(output_, other.output_);
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~job() { signal(SIGKILL), wait(); }
  pid_t pid() const { return pid_; }
  void signal(int which) const {
    if (pid_ > 0) ::kill(pid_, which);
  }
  void wait() {
    if (pid_ > 0) ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  // What it has written so far. The last line of a job that was killed may be cut off.
  got result() const {
    got all;
    std::ifstream in(output_);
    for (std::string line; std::getline(in, line);) {
      if (in.eof()) break;
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      if (kind == "batch") {
        std::uint64_t epoch = 0, hash = 0;
        double waited = 0;
        words >> epoch >> hash >> waited;
        all.epochs[epoch].push_back(hash);
        all.longest_wait = std::max(all.longest_wait, waited);
      } else if (kind == "end") {
        all.ended = true;
        words >> all.prepared >> all.copied;
      } else if (kind == "error") {
        all.error = line;
      }
    }
    return all;
  }

 private:
  std::string output_;
  pid_t pid_ = 0;
};

// The message of what f throws; empty if it throws nothing.
std::string error_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace plumbline_test
